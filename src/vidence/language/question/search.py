"""Understanding what is searched for: exact words, what to look and listen for, and where in time."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast

from vidence.language.numbers import number_value
from vidence.language.objects import ObjectQuery, parse_query
from vidence.language.quotations import quotations, unquoted
from vidence.language.tables import read_table
from vidence.language.tokens import clean, stems

__all__ = ["Change", "Cue", "SearchQuery", "TimeHint", "understand"]

Cue = Literal["speech", "sound", "text", "cut"]
Change = Literal["appear", "vanish", "absent"]
Extreme = Literal["most", "fewest"]
Order = Literal["first", "last"]

_ASIDE = re.compile(r"[(（][^)）]*[)）]")
_NUMBER = r"(\d+(?:\.\d+)?)"
_UNIT = r"\s*(?:s|sec|secs|seconds?|秒)(?![a-z])"
_RANGE = re.compile(rf"{_NUMBER}(?:{_UNIT})?\s*(?:-|–|to|and|到|至)\s*{_NUMBER}{_UNIT}", re.IGNORECASE)
_MOMENT = re.compile(
    rf"(?:\b(?:at|around|about|near)\s+|第|大约|约)?(?:about\s+)?{_NUMBER}{_UNIT}", re.IGNORECASE
)
_CLOCK = re.compile(r"\b(\d{1,2}):(\d{2})\b")
_QUESTION = re.compile(
    r"[?？]\s*$|^(at what|when|what|which|who|where|why|how|give a time)\b|什么|哪|谁|几|多少|吗"
)
_PAIR = 2
_COUNTED = re.compile(r"\b(both|two|three|four|five)\b|([两三四])[个只辆位名条人]", re.IGNORECASE)


@dataclass(frozen=True)
class TimeHint:
    """Where in the video the words themselves point: a span in seconds, or in shares of its length."""

    start: float
    end: float
    relative: bool

    def seconds(self, duration_s: float) -> tuple[float, float]:
        """Return the span in seconds of a video of this length."""
        scale = duration_s if self.relative else 1.0
        return max(0.0, self.start * scale), min(duration_s, self.end * scale)


@dataclass(frozen=True)
class SearchQuery:
    """A query taken apart."""

    text: str
    phrase: str
    """What is to be seen or heard, without the words that only make it a question."""
    exact: tuple[str, ...]
    """Quoted words, to be found as they stand."""
    stems: tuple[str, ...]
    things: ObjectQuery
    cues: frozenset[Cue]
    """What the query speaks of besides pictures: words said, sounds, words on screen, cuts."""
    hint: TimeHint | None = None
    change: Change | None = None
    extreme: Extreme | None = None
    count: int | None = None
    order: Order | None = None
    is_question: bool = False
    """Who asks about something takes it to be there."""


def understand(text: str) -> SearchQuery:
    """Take a query apart; questions are searched for what they are about."""
    whole = clean(text)
    exact = tuple(part for one in quotations(whole) if (part := one.strip(" .…,。")))
    lowered = whole.lower()
    hint = _time_hint(lowered)
    phrase = _phrase(unquoted(whole))
    return SearchQuery(
        text=whole,
        phrase=phrase or whole,
        exact=exact,
        stems=tuple(dict.fromkeys(stems(phrase) or stems(whole))),
        things=parse_query(phrase or whole),
        cues=frozenset(cast("Cue", name) for name, found in _patterns("cue") if found(lowered)),
        hint=hint,
        change=cast("Change | None", _first("change", lowered)),
        extreme=cast("Extreme | None", _first("extreme", lowered)),
        count=_count(lowered),
        order=cast("Order | None", _first("order", lowered)),
        is_question=bool(_QUESTION.search(lowered)),
    )


def _phrase(text: str) -> str:
    """Drop what makes a question of it and what points in time."""
    kept = _ASIDE.sub(" ", text)
    for pattern in (_RANGE, _MOMENT, _CLOCK):
        kept = pattern.sub(" ", kept)
    for pattern in _scaffolding():
        kept = pattern.sub(" ", kept)
    return " ".join(kept.strip(" ?？。.!！,，:：;；").split())


def _time_hint(text: str) -> TimeHint | None:
    if found := _RANGE.search(text):
        return TimeHint(float(found[1]), max(float(found[2]), float(found[1]) + 0.5), relative=False)
    if found := _CLOCK.search(text):
        at = float(int(found[1]) * 60 + int(found[2]))
        return TimeHint(at - 1.0, at + 1.0, relative=False)
    if found := _MOMENT.search(text):
        at = float(found[1])
        return TimeHint(at - 0.5, at + 0.5, relative=False)
    for name, pattern in _patterns("hint"):
        if pattern(text):
            start, end = (float(part) for part in name.split(":"))
            return TimeHint(start, end, relative=True)
    return None


def _count(text: str) -> int | None:
    found = _COUNTED.search(text)
    if found is None:
        return None
    return _PAIR if found[0].lower() == "both" else number_value((found[1] or found[2]).lower())


def _first(kind: str, text: str) -> str | None:
    return next((name for name, pattern in _patterns(kind) if pattern(text)), None)


@lru_cache(maxsize=8)
def _patterns(kind: str) -> tuple[tuple[str, Callable[[str], object]], ...]:
    return tuple(
        (row[1], re.compile(row[2], re.IGNORECASE).search)
        for row in read_table("search_words.tsv")
        if row[0] == kind
    )


@lru_cache(maxsize=1)
def _scaffolding() -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(row[2], re.IGNORECASE) for row in read_table("search_words.tsv") if row[0] == "drop"
    )
