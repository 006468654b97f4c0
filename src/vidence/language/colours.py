"""Colour names in English and Chinese: the one list of words, families and look-alikes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal

from vidence.language.tables import read_table

__all__ = ["colour_terms", "colour_word", "colours_in", "find_colours", "kin_of", "same_colour"]

# Characters that name a colour alone and something else inside these words.
_NOT_COLOURS = re.compile(
    r"红绿灯|网红|红包|分红|黄瓜|黄昏|黄河|黄油|黄山|青年|青少年|年青|青菜|青蛙|青岛|明白|白天|空白|表白|白菜|白酒|黑板|黑客|"
    r"黑暗|灰尘|绿化|蓝牙|朱[\u4e00-\u9fff]{1,2}(?=说|先生|女士)|翠鸟|赤脚|赤道|橙汁|橙子|橘子|紫菜"
    r"|\b(?:orange (?:juice|slices?)|an orange\b(?! \w)|oranges|black and white|white ?board|black ?board|"
    r"white house|green ?house|gold medal|silver medal|bronze medal|rose (?:up|from)|(?:he|she|it|they) rose|"
    r"ice cream|cream cheese|whipped cream|green light|red light)\b",
    re.IGNORECASE,
)


def colour_word(name: str, language: Literal["en", "zh"] = "en") -> str:
    """Return the word for a measured colour in a language."""
    return name if language == "en" else next(row[1] for row in read_table("colours.tsv") if row[0] == name)


def colour_terms() -> Iterator[tuple[str, str]]:
    """Yield every word for a colour in a query, in either language, with the colour it is measured as."""
    for _, measured, _, words, in_queries, _ in read_table("colour_words.tsv"):
        for word in _listed(words, in_queries):
            yield word, measured


def find_colours(text: str) -> list[str]:
    """Return the measured colours that a text names, in order, in either language."""
    meant, pattern = _query_words()
    return list(dict.fromkeys(meant[match.group()] for match in pattern.finditer(text.lower())))


def colours_in(text: str) -> dict[str, str]:
    """Return the colour families that a claim names, each with the word it is named by."""
    meant, english, chinese = _claim_words()
    plain = _NOT_COLOURS.sub(" ", text)
    found: dict[str, str] = {}
    for match in (*english.finditer(plain), *chinese.finditer(plain)):
        found.setdefault(meant[(match[1] if match.re is english else match[0]).lower()], match[0])
    return found


def same_colour(claimed: str, seen: set[str]) -> bool:
    """Say whether a family is among those seen, or next to one that people mix it up with."""
    return claimed in seen or any((claimed, one) in _near() or (one, claimed) in _near() for one in seen)


@lru_cache(maxsize=1)
def kin_of() -> dict[str, frozenset[str]]:
    """Return for each measured colour those that light and cameras easily turn it into."""
    return {row[0]: frozenset(_listed(row[3])) for row in read_table("colours.tsv")}


def _listed(*cells: str) -> list[str]:
    return [word for cell in cells if cell != "-" for word in cell.split(",")]


def _longest_first(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


@lru_cache(maxsize=1)
def _query_words() -> tuple[dict[str, str], re.Pattern[str]]:
    meant = dict(colour_terms())
    english = _longest_first(word for word in meant if word.isascii())
    chinese = _longest_first(word for word in meant if not word.isascii())
    return meant, re.compile(rf"\b(?:{english})\b|{chinese}")


@lru_cache(maxsize=1)
def _claim_words() -> tuple[dict[str, str], re.Pattern[str], re.Pattern[str]]:
    meant = {
        word: row[0] for row in read_table("colour_words.tsv") for word in _listed(row[3], row[5])
    }  # fmt: skip
    english = _longest_first(word for word in meant if word.isascii())
    chinese = _longest_first(word for word in meant if not word.isascii())
    return meant, re.compile(rf"\b({english})(?:ish|s)?\b", re.IGNORECASE), re.compile(chinese)


@lru_cache(maxsize=1)
def _near() -> frozenset[tuple[str, str]]:
    return frozenset((row[0], other) for row in read_table("colour_words.tsv") for other in _listed(row[2]))
