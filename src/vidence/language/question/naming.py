"""What a noun phrase names: the detector's category, its colours and where it is."""

from __future__ import annotations

import re

from vidence.language.categories import category_words, group_names
from vidence.language.colours import find_colours
from vidence.language.objects import resolve_asked
from vidence.language.question.form import Target
from vidence.language.tables import words_of

__all__ = ["category_of", "colours_of", "is_some_person", "position_of"]

_POSITIONS = (
    ("foreground", r"\bforeground\b|\bin front\b|前景|前面|近处"),
    ("background", r"\bbackground\b|\bin the back\b|\bin the distance\b|背景|远处|后面"),
    ("top left", r"\b(top|upper)[ -]left\b|左上"),
    ("top right", r"\b(top|upper)[ -]right\b|右上"),
    ("bottom left", r"\b(bottom|lower)[ -]left\b|左下"),
    ("bottom right", r"\b(bottom|lower)[ -]right\b|右下"),
    ("left", r"\bleft(most|-hand)?\b|左"),
    ("right", r"\bright(most|-hand)?\b|右"),
    ("middle", r"\b(middle|cent(er|re)|central)\b|中间|中央|正中"),
    ("top", r"\b(top|upper)\b|上方|顶部"),
    ("bottom", r"\b(bottom|lower)\b|下方|底部"),
)
_PEOPLE = words_of("question_english.tsv", "people") | words_of("question_chinese.tsv", "people")
_SORTS_OF_PEOPLE = words_of("question_english.tsv", "sex_or_age") | words_of(
    "question_chinese.tsv", "sex_or_age"
)


def category_of(head: str, phrase: str = "") -> str | None:
    """Return the category or group the detector knows a noun by, None where it knows none."""
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
    """Whether a person of some sex or age is meant, which the detector does not tell from any other."""
    return target.category == "person" and target.head in _SORTS_OF_PEOPLE


def colours_of(text: str) -> tuple[str, ...]:
    """Return the colours a phrase names."""
    return tuple(find_colours(text))


def position_of(text: str) -> str | None:
    """Return where in the picture a phrase says the thing is."""
    lowered = text.lower()
    return next((name for name, pattern in _POSITIONS if re.search(pattern, lowered)), None)


def _name(text: str, found: frozenset[str]) -> str:
    if len(found) == 1:
        return next(iter(found))
    for group in group_names():
        if category_words()[group] == found:
            return group
    return text
