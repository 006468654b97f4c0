"""Templates: `{{candidates[0].start_time}}` reads a value, `{{scene.start_time - 10}}` shifts a number.

A result of an operation stands for its list where it is indexed or repeated over: `candidates[0]` is the
first of `candidates.results`. A shifted number never falls below 0, so that times stay inside the video.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from vidence.errors import BadTool

__all__ = ["Absent", "Path", "main_list", "parse_path", "paths_in", "read_path", "render", "whole_path"]

_TEMPLATE = re.compile(r"\{\{([^{}]*)\}\}")
_PATH = re.compile(
    r"\s*([a-z_][a-z0-9_]*)((?:\.[A-Za-z_][A-Za-z0-9_]*|\[\d{1,4}\])*)\s*(?:([+-])\s*(\d{1,6}(?:\.\d{1,3})?)\s*)?"
)
_PART = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)|\[(\d+)\]")


class Absent(Exception):
    """A template names a value that this run does not have, such as the first of no results."""


@dataclass(frozen=True)
class Path:
    """A name, the fields and places inside it, and a number to add."""

    name: str
    parts: tuple[str | int, ...] = ()
    shift: float = 0.0

    def __str__(self) -> str:
        inner = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.parts)
        return f"{self.name}{inner}"


def parse_path(text: str, where: str) -> Path:
    """Read the inside of a template."""
    match = _PATH.fullmatch(text)
    if match is None:
        raise BadTool(f"{where}: {text.strip()[:60]!r} is not a path such as candidates[0].start_time.")
    parts: list[str | int] = [
        found[1] if found[1] is not None else int(found[2]) for found in _PART.finditer(match[2])
    ]
    shift = float(match[4]) if match[4] else 0.0
    return Path(match[1], tuple(parts), -shift if match[3] == "-" else shift)


def paths_in(value: Any, where: str) -> Iterator[tuple[str, Path]]:
    """Yield every template inside a value, with the field it stands in."""
    if isinstance(value, str):
        inner = _TEMPLATE.findall(value)
        if len(inner) != value.count("{{") or len(inner) != value.count("}}"):
            raise BadTool(f"{where}: a template is not closed in {value[:60]!r}.")
        for one in inner:
            yield where, parse_path(one, where)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from paths_in(item, f"{where}.{name}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from paths_in(item, f"{where}[{number}]")


def whole_path(text: str, where: str) -> Path | None:
    """Return the path of a text that is one template and nothing else."""
    match = _TEMPLATE.fullmatch(text.strip())
    return parse_path(match[1], where) if match else None


def render(value: Any, scope: Mapping[str, Any]) -> Any:
    """Return a value with its templates filled in; one that is a whole text keeps its type."""
    if isinstance(value, str):
        path = whole_path(value, "")
        if path is not None:
            return read_path(path, scope)
        return _TEMPLATE.sub(lambda found: _text(read_path(parse_path(found[1], ""), scope)), value)
    if isinstance(value, Mapping):
        return {name: render(item, scope) for name, item in value.items()}
    return [render(item, scope) for item in value] if isinstance(value, list) else value


def read_path(path: Path, scope: Mapping[str, Any]) -> Any:
    """Return the value at a path, or raise `Absent`."""
    if scope.get(path.name) is None:
        raise Absent(path.name)
    value = scope[path.name]
    for part in path.parts:
        value = _inside(value, part, path)
        if value is None:
            raise Absent(str(path))
    if not path.shift:
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Absent(f"{path} is not a number")
    return round(max(0.0, value + path.shift), 3)


def main_list(value: Any) -> list[Any] | None:
    """Return a list, or the one list of objects in a result; None where there is no such list."""
    if isinstance(value, list):
        return value
    if not isinstance(value, Mapping):
        return None
    lists = [item for item in value.values() if isinstance(item, list)]
    return lists[0] if len(lists) == 1 else None


def _inside(value: Any, part: str | int, path: Path) -> Any:
    if isinstance(part, str):
        return value.get(part) if isinstance(value, Mapping) else None
    listed = main_list(value)
    if listed is None or part >= len(listed):
        raise Absent(str(path))
    return listed[part]


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
