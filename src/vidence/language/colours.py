"""Colour names in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from vidence.language.tables import read_table

__all__ = ["colour_terms", "colour_word", "find_colours"]


def colour_word(name: str, language: Literal["en", "zh"] = "en") -> str:
    """Return the word for a colour in a language."""
    return name if language == "en" else next(row[1] for row in read_table("colours.tsv") if row[0] == name)


def find_colours(text: str) -> list[str]:
    """Return the colours a text names, in order, in either language."""
    lowered = text.lower()
    spots = [
        (match.start(), -len(word), name)
        for word, name in colour_terms()
        for match in re.finditer(_pattern(word), lowered)
    ]
    found: list[str] = []
    end = -1
    for start, negative_length, name in sorted(spots):
        if start >= end:
            found.append(name)
            end = start - negative_length
    return list(dict.fromkeys(found))


def _pattern(word: str) -> str:
    return rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word)


def colour_terms() -> Iterator[tuple[str, str]]:
    """Yield every word for a colour, in either language, with the colour it means."""
    for name, chinese, _, others in read_table("colours.tsv"):
        for word in (name, chinese, *others.split(",")):
            yield word, name
