"""What a model adapter is built from: the cache, a thread count, and its options in the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from vidence.errors import SettingsError
from vidence.models.cache import ModelCache
from vidence.models.hub import Sets, fetch_from_hub, is_hub_address

__all__ = ["ModelContext"]


@dataclass(frozen=True)
class ModelContext:
    """Everything a `build` function of the catalogue may use."""

    cache: ModelCache
    threads: int = 1
    options: Mapping[str, str] = field(default_factory=dict)

    def option(self, name: str, default: str | None = None) -> str:
        """Return an option; a missing one without a default raises."""
        value = self.options.get(name, default)
        if value is None:
            raise SettingsError(f"The option {name!r} is missing.")
        return value

    def place(self, name: str, *, sets: Sets = ()) -> Path:
        """Return the path an option names; a hub address is fetched the first time.

        Args:
            sets: the network files to look for on the hub, see `models/hub.py`.
        """
        text = self.option(name)
        if is_hub_address(text):
            return fetch_from_hub(text, self.cache.folder, sets=sets)
        return Path(text).expanduser()

    def file(self, name: str) -> Path:
        """Return the path an option names, which must be a file."""
        path = self.place(name)
        if not path.is_file():
            raise SettingsError(f"Option {name!r} names {str(path)!r}, which is not a file.")
        return path

    def number(self, name: str, default: float) -> float:
        """Return a numeric option."""
        text = self.option(name, str(default))
        try:
            return float(text)
        except ValueError as exc:
            raise SettingsError(f"Option {name!r} is {text!r}; it must be a number.") from exc

    def converted(self, model: str, role: str, filename: str, converter: str, *, growth: int = 1) -> Path:
        """Return a file of `model` in the form we run, converted into the cache the first time.

        Args:
            converter: "module:function" in `models/convert`, imported only when the file must be converted.
            growth: how many times larger the result may be.
        """
        source = self.cache.path(model, role)

        def build(target: Path) -> None:
            module, _, function = converter.partition(":")
            getattr(import_module(f"vidence.models.convert.{module}"), function)(source, target)

        return self.cache.built(model, filename, build, size_bytes=growth * source.stat().st_size)
