"""The tables that say what words do in a question: tab-separated, `#` for comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files

__all__ = ["pattern_of", "patterns_of", "words_of"]


def words_of(table: str, kind: str) -> frozenset[str]:
    """Return the words of one class."""
    return frozenset(word for name, words in _rows(table) if name == kind for word in words.split())


@lru_cache(maxsize=64)
def pattern_of(table: str, kind: str) -> re.Pattern[str]:
    """Return one pattern that any of a kind's rows fits."""
    return patterns_of(table)[kind]


@lru_cache(maxsize=8)
def patterns_of(table: str) -> dict[str, re.Pattern[str]]:
    """Return a pattern for each kind of a table, in the table's order."""
    parts: dict[str, list[str]] = {}
    for kind, part in _rows(table):
        parts.setdefault(kind, []).append(part)
    return {kind: re.compile("|".join(rows), re.IGNORECASE) for kind, rows in parts.items()}


def _rows(table: str) -> Iterator[tuple[str, str]]:
    text = (files("vidence.agents.embedded.question") / "data" / table).read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            kind, _, rest = line.partition("\t")
            yield kind, rest
