"""A registry of implementations by name: built-in rows, and entry points of installed packages."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from vidence.errors import BackendError, UnknownName

__all__ = ["Registry"]


class Registry:
    """A table of name → "module:attribute"; nothing is imported before `resolve`."""

    def __init__(self, kind: str, rows: Mapping[str, str], *, group: str | None = None) -> None:
        self.kind = kind
        self._rows = dict(rows)
        self._group = group

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __contains__(self, name: object) -> bool:
        return name in self._all()

    def resolve(self, name: str) -> Any:
        """Import and return the implementation called `name`."""
        rows = self._all()
        if name not in rows:
            raise UnknownName(self.kind, name, rows, remedy=f"Known: {', '.join(sorted(rows))}.")
        module, _, attribute = rows[name].partition(":")
        try:
            return getattr(import_module(module), attribute)
        except (ImportError, AttributeError) as exc:
            raise BackendError(
                f"{self.kind} {name!r} could not be loaded from {rows[name]!r}: {exc}"
            ) from exc

    def _all(self) -> dict[str, str]:
        # Built-in rows win: an installed package may add names, never replace ours.
        added = _added(entry_points, self._group, tuple(sys.path)) if self._group else {}
        return {**added, **self._rows}


@lru_cache(maxsize=32)
def _added(find: Callable[..., Iterable[EntryPoint]], group: str, places: tuple[str, ...]) -> dict[str, str]:
    """Return what packages in these places add; they are searched once, since every operation looks here."""
    return {point.name: point.value for point in find(group=group)}
