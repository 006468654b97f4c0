"""What a question about an entity is after."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from vidence.language.colours import find_colours
from vidence.language.identify import question_language
from vidence.language.objects import parse_query
from vidence.language.tables import read_table

__all__ = ["Kind", "Language", "Question", "read_question"]

Kind = Literal["colour", "posture", "holding", "near", "action", "motion", "place", "size", "looking", "kind"]
Language = Literal["en", "zh"]

_ORDER: tuple[Kind, ...] = (
    "holding", "looking", "colour", "posture", "near", "motion", "place", "size", "kind", "action"
)  # fmt: skip
"""Where several kinds are mentioned the first of these is meant: 'what is she doing with her hands'."""


_UNMEASURED = "unmeasured"


@dataclass(frozen=True)
class Question:
    """A question, what it is after (None: nothing that is measured) and the language to answer in."""

    text: str
    kind: Kind | None
    language: Language
    colours: tuple[str, ...] = ()
    """Colours the question itself names."""
    postures: tuple[str, ...] = ()
    """Postures the question itself names."""
    yes_or_no: bool = False


def read_question(text: str) -> Question:
    """Take a question apart."""
    lowered = text.lower()
    found = {kind for kind, pattern in _patterns() if pattern.search(lowered)}
    # A question after something else is not answered with what happens to be measured.
    kind = None if _UNMEASURED in found else next((one for one in _ORDER if one in found), None)
    return Question(
        text,
        kind,
        question_language(text),
        tuple(find_colours(text)),
        parse_query(text).postures,
        bool(re.match(r"\s*(is|are|does|do|was|has|can)\b", lowered)) or "吗" in text,
    )


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, _pattern(words.split(","))) for kind, words in read_table("state_words.tsv"))


def _pattern(words: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(rf"\b{re.escape(w)}\b" if w.isascii() else re.escape(w) for w in words))
