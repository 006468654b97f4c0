"""What a noun phrase names: the detector's category, its colours and where it is."""

from __future__ import annotations

from vidence.language.categories import category_words, group_names
from vidence.language.colours import find_colours
from vidence.language.objects import resolve_asked
from vidence.language.question.form import Target
from vidence.language.tables import patterns_of, words_of

__all__ = ["category_of", "colours_of", "is_some_person", "position_of"]

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
