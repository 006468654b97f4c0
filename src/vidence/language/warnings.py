"""Warnings about a damaged file in the language of an answer."""

from __future__ import annotations

import re
from functools import cache

from vidence.language.tables import read_table
from vidence.schema.agent import AnswerLanguage

__all__ = ["in_words"]


def in_words(warning: str, language: AnswerLanguage) -> str:
    """Return a warning in a language; one that is not in the table stays as it is."""
    if language == "zh":
        for pattern, chinese in _rows():
            if found := pattern.fullmatch(warning):
                return chinese.format(*found.groups())
    return warning


@cache
def _rows() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(english), chinese) for english, chinese in read_table("warnings.tsv")]
