"""Showing any operation's result to a person: facts as lines, lists of things as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table

from vidence.cli.text import visible

__all__ = ["render"]


def render(result: Mapping[str, Any]) -> RenderableType:
    """Lay out a result that came out of `model_dump`."""
    facts = Table.grid(padding=(0, 2))
    tables: list[tuple[str, list[Mapping[str, Any]]]] = []
    for name, value in result.items():
        if isinstance(value, list) and value and isinstance(value[0], Mapping):
            tables.append((name, value))
        else:
            facts.add_row(f"[bold]{name}[/bold]", _text(value))
    parts: list[RenderableType] = [facts] if facts.row_count else []
    for name, rows in tables:
        parts += [f"[bold]{name}[/bold]", _table(rows)]
    return Group(*parts)


def _table(rows: list[Mapping[str, Any]]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    # What no row knows only takes the room of what they say.
    columns = list(dict.fromkeys(key for row in rows for key, value in row.items() if value is not None))
    for column in columns:
        numeric = all(isinstance(row.get(column), int | float) for row in rows)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_text(row.get(column)) for column in columns))
    return table


def _text(value: Any) -> str:
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.3f}".rstrip("0").rstrip(".")
        case Mapping():
            return ", ".join(f"{key} {_text(item)}" for key, item in value.items())
        case list() | tuple():
            return _joined(value)
        case _:
            # Text may come out of a video; it must not be read as markup.
            return escape(visible(value))


def _joined(values: Iterable[Any]) -> str:
    return ", ".join(_text(value) for value in values) or "none"
