"""What a question says to memory beside its words: whom it asks about, when, what exactly, and how fresh."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from vidence.language.dates import DateSpan, find_dates
from vidence.language.quotations import quotations
from vidence.language.tokens import query_terms, term_id

__all__ = ["Cues", "read_cues"]

_FRESH = re.compile(
    r"\b(?:latest|newest|most recent(?:ly)?|recently|lately|currently|these days)\b|最近|最新|目前|现在",
    re.IGNORECASE,
)
_LONGEST = 20_000
_LONGEST_QUOTED = 200
_MAX_TERMS = 256
"""A question longer than this is a document; its first terms say what it is about."""


@dataclass(frozen=True)
class Cues:
    """A question as memory reads it."""

    terms: tuple[int, ...]
    speakers: tuple[str, ...]
    dates: tuple[DateSpan, ...]
    exact: tuple[str, ...]
    fresh: bool


def read_cues(text: str, *, speakers: Mapping[str, str], today: date) -> Cues:
    """Return the cues of a question; `speakers` leads from the terms of names to the people known by them."""
    asked = text[:_LONGEST]
    found = query_terms(asked)
    kept = [term for term in found if term not in speakers] or found
    return Cues(
        terms=tuple(term_id(term) for term in kept[:_MAX_TERMS]),
        speakers=tuple(dict.fromkeys(speakers[term] for term in found if term in speakers)),
        dates=tuple(find_dates(asked, today=today)),
        exact=tuple(part.lower() for part in quotations(asked) if len(part) <= _LONGEST_QUOTED),
        fresh=_FRESH.search(asked) is not None,
    )
