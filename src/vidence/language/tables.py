"""The one reader of the tables that ship with vidence: tab-separated, one row a line, `#` for comments."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files

__all__ = ["named_patterns", "pattern_of", "patterns_of", "read_table", "words_of"]


@lru_cache(maxsize=64)
def read_table(name: str, room: str = "language") -> tuple[list[str], ...]:
    """Return the cells of each row of `ROOM/data/NAME`."""
    text = (files(f"vidence.{room}") / "data" / name).read_text(encoding="utf-8")
    return tuple(
        [cell.strip() for cell in line.split("\t")]
        for line in text.splitlines()
        if line.strip() and not line.startswith("#")
    )


@lru_cache(maxsize=64)
def words_of(table: str, *kinds: str, room: str = "language") -> frozenset[str]:
    """Return the words of some classes of a table whose rows are `kind, …, words`."""
    rows = read_table(table, room)
    return frozenset(word for row in rows if row[0] in kinds for word in row[-1].split())


@lru_cache(maxsize=64)
def pattern_of(table: str, kind: str) -> re.Pattern[str]:
    """Return one pattern that matches any row of a kind."""
    return patterns_of(table)[kind]


@lru_cache(maxsize=32)
def patterns_of(table: str, room: str = "language") -> dict[str, re.Pattern[str]]:
    """Return a pattern for each kind of a table with rows `kind, pattern`, in the table's order."""
    parts: dict[str, list[str]] = {}
    for kind, part in read_table(table, room):
        parts.setdefault(kind, []).append(part)
    return {kind: re.compile("|".join(rows), re.IGNORECASE) for kind, rows in parts.items()}


@lru_cache(maxsize=32)
def named_patterns(table: str, kind: str, room: str = "language") -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the names and patterns of one kind of a table with rows `kind, name, pattern`."""
    rows = (row for row in read_table(table, room) if row[0] == kind)
    return tuple((name, re.compile(pattern, re.IGNORECASE)) for _, name, pattern in rows)
