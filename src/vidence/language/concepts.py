"""What a text speaks of: its content words, and things, colours and numbers by names without a language."""

from __future__ import annotations

from functools import lru_cache

from vidence.language.categories import categories_in
from vidence.language.colours import colours_in
from vidence.language.identify import has_han
from vidence.language.numbers import numbers_in
from vidence.language.tokens import terms

__all__ = ["concepts", "is_meaning", "shared_with"]

_MARK = "="


@lru_cache(maxsize=1 << 14)
def concepts(text: str) -> frozenset[str]:
    """Return the content words of a text, and the meanings of its things, colours and numbers."""
    counted = (f"{number.value:g}" for number in numbers_in(text) if not number.is_vague)
    meant = {f"{_MARK}{name}" for name in (*categories_in(text), *colours_in(text), *counted)}
    return frozenset(terms(text)) | meant


def is_meaning(concept: str) -> bool:
    """Tell whether a concept is a meaning without a language, not a word."""
    return concept.startswith(_MARK)


def shared_with(said: frozenset[str], held: frozenset[str]) -> frozenset[str]:
    """Return what of `said` can be looked for in `held`: across languages only meanings, if there are any."""
    written = {has_han(one) for one in held if not is_meaning(one)}
    foreign = {one for one in said if not is_meaning(one) and has_han(one) not in written}
    meant = {one for one in said if is_meaning(one)}
    return said - foreign if meant or not foreign else said
