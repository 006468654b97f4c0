"""What the words of a question name: a category, colours, a position, or a yes-or-no question."""

from __future__ import annotations

import re

from vidence.language.categories import category_words, group_names
from vidence.language.colours import find_colours
from vidence.language.objects import resolve_asked
from vidence.language.question.form import Target
from vidence.language.tables import patterns_of, words_of

__all__ = ["MEASURES", "category_of", "colours_of", "is_some_person", "is_yes_no", "position_of"]

_YES_NO = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|can|could|has|have|had|will)\b|吗|是否|有没有|是不是", re.IGNORECASE
)
MEASURES = "".join(sorted(set("".join(words_of("question_chinese.tsv", "measure")))))
"""The Chinese measure words, as the inside of a regular expression's brackets: 三｜枚｜硬币."""
_TABLES = ("question_english.tsv", "question_chinese.tsv")
_PEOPLE = frozenset().union(*(words_of(table, "people") for table in _TABLES))
_SORTS_OF_PEOPLE = frozenset().union(*(words_of(table, "sex_or_age") for table in _TABLES))


def category_of(head: str, phrase: str = "") -> str | None:
    """Return the detector's category or group for a noun; None where there is none."""
    for text in (phrase, head):
        if not text:
            continue
        if text in _PEOPLE:
            return "person"
        found = resolve_asked(text)
        if found:
            return _name(text, found)
    return None


def is_some_person(target: Target) -> bool:
    """Say whether a person of a certain sex or age is meant, which the detector cannot distinguish."""
    return target.category == "person" and target.head in _SORTS_OF_PEOPLE


def is_yes_no(text: str) -> bool:
    """Say whether a question asks for yes or no."""
    return _YES_NO.search(text) is not None


def colours_of(text: str) -> tuple[str, ...]:
    """Return the colours a phrase names."""
    return tuple(find_colours(text))


def position_of(text: str) -> str | None:
    """Return the position in the picture that a phrase names; None when it names none."""
    return next(
        (name for name, pattern in patterns_of("positions.tsv").items() if pattern.search(text)), None
    )


def _name(text: str, found: frozenset[str]) -> str:
    if len(found) == 1:
        return next(iter(found))
    for group in group_names():
        if category_words()[group] == found:
            return group
    return text
