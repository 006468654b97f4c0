"""Words to match by: English by stem, Chinese by character pairs."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import snowballstemmer

from vidence.language.identify import HAN, has_han
from vidence.language.tables import read_table

__all__ = ["clean", "has_words", "stems"]

_TOKEN = re.compile(rf"[{HAN}]+|[^\W_{HAN}]+(?:['’][a-z]+)?")
_LONGEST = 64
_STEMMER = snowballstemmer.stemmer("english")


def clean(text: str) -> str:
    """Return the text without control characters, in one form of each character, with single spaces."""
    normal = unicodedata.normalize("NFKC", text)
    plain = "".join(
        " " if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co") else char for char in normal
    )
    return " ".join(plain.split())


def has_words(text: str) -> bool:
    """Say whether there is a letter or a digit in the text, of any script."""
    return any(char.isalnum() for char in text)


def stems(text: str) -> list[str]:
    """Return the content words of a text in order: stems, and pairs of Chinese characters."""
    found: list[str] = []
    for match in _TOKEN.finditer(text.lower()):
        token = match.group().replace("’", "'").partition("'")[0]
        if has_han(token):
            found += [token[i : i + 2] for i in range(len(token) - 1)] or [token]
        elif token not in _stop_words():
            found.append(_stem(token))
    return found


@lru_cache(maxsize=1 << 14)
def _stem(word: str) -> str:
    base = _bases().get(word, word)[:_LONGEST]
    return str(_STEMMER.stemWord(base)) if base.isascii() else base


@lru_cache(maxsize=1)
def _bases() -> dict[str, str]:
    rows = (row for row in read_table("search_stems.tsv") if row[0] == "form")
    return {form: row[1] for row in rows for form in row[2].split(",")}


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    rows = (row for row in read_table("search_stems.tsv") if row[0] == "stop")
    return frozenset(word for row in rows for word in row[2].split(","))
