"""What a question says beside its words: whom it asks about, when, what exactly, and how fresh."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from vidence.language.dates import DateSpan, find_dates
from vidence.language.quotations import quotations
from vidence.language.tokens import query_terms, term_id

__all__ = ["Cues", "read_query"]

_FRESH = re.compile(
    r"\b(?:latest|newest|most recent(?:ly)?|recently|lately|currently|these days)\b|最近|最新|目前|现在"
)
_LONGEST_QUOTED = 200
_MAX_TERMS = 256
"""A question longer than this is a document; its first terms say what it is about."""


@dataclass(frozen=True)
class Cues:
    """A question, read."""

    terms: tuple[int, ...]
    speakers: tuple[str, ...]
    dates: tuple[DateSpan, ...]
    exact: tuple[str, ...]
    fresh: bool


def read_query(query: str, *, speakers: Mapping[str, str], today: date) -> Cues:
    """Read a question; `speakers` leads from the terms of names to the people known by them."""
    found = query_terms(query[:20_000])
    named = tuple(dict.fromkeys(speakers[term] for term in found if term in speakers))
    kept = [term for term in found if term not in speakers] or found
    return Cues(
        terms=tuple(term_id(term) for term in kept[:_MAX_TERMS]),
        speakers=named,
        dates=tuple(find_dates(query[:20_000], today=today)),
        exact=tuple(part.lower() for part in quotations(query[:20_000]) if len(part) <= _LONGEST_QUOTED),
        fresh=bool(_FRESH.search(query.lower()[:20_000])),
    )
