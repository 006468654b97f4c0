"""A question as a search query: exact words, things to see and hear, and where in time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

from vidence.language.numbers import number_value
from vidence.language.objects import ObjectQuery, parse_query
from vidence.language.quotations import quotations, unquoted
from vidence.language.tables import named_patterns
from vidence.language.times import find_times, without_times
from vidence.language.tokens import clean, stems

__all__ = ["Change", "Cue", "SearchQuery", "TimeHint", "read_search"]

Cue = Literal["speech", "sound", "text", "cut"]
Change = Literal["appear", "vanish", "absent"]
Extreme = Literal["most", "fewest"]
Order = Literal["first", "last"]

_ASIDE = re.compile(r"[(（][^)）]*[)）]")
_QUESTION = re.compile(
    r"[?？]\s*$|^(at what|when|what|which|who|where|why|how|give a time)\b|什么|哪|谁|几|多少|吗"
)
_PAIR = 2
_TABLE = "search_words.tsv"
_COUNTED = re.compile(r"\b(both|two|three|four|five)\b|([两三四])[个只辆位名条人]", re.IGNORECASE)


@dataclass(frozen=True)
class TimeHint:
    """A span named in the query, in seconds or as shares of the video's length."""

    start: float
    end: float
    relative: bool

    def seconds(self, duration_s: float) -> tuple[float, float]:
        """Return the span in seconds for a video of this length."""
        scale = duration_s if self.relative else 1.0
        return max(0.0, self.start * scale), min(duration_s, self.end * scale)


@dataclass(frozen=True)
class SearchQuery:
    """A parsed search query."""

    text: str
    phrase: str
    """The thing to find, without the words that only ask."""
    exact: tuple[str, ...]
    """Quoted words, to be found exactly."""
    stems: tuple[str, ...]
    things: ObjectQuery
    cues: frozenset[Cue]
    """What the query mentions besides pictures: speech, sounds, on-screen text, cuts."""
    hint: TimeHint | None = None
    change: Change | None = None
    extreme: Extreme | None = None
    count: int | None = None
    order: Order | None = None
    is_question: bool = False
    """A question presumes that the thing it asks about exists."""


def read_search(text: str) -> SearchQuery:
    """Parse a query; a question becomes a search for what it is about."""
    whole = clean(text)
    phrase = _phrase(unquoted(whole))
    return SearchQuery(
        text=whole,
        phrase=phrase or whole,
        exact=tuple(part for one in quotations(whole) if (part := one.strip(" .…,。"))),
        stems=tuple(dict.fromkeys(stems(phrase) or stems(whole))),
        things=parse_query(phrase or whole),
        cues=frozenset(cast("Cue", name) for name in _matching("cue", whole)),
        hint=_time_hint(whole),
        change=cast("Change | None", next(_matching("change", whole), None)),
        extreme=cast("Extreme | None", next(_matching("extreme", whole), None)),
        count=_count(whole.lower()),
        order=cast("Order | None", next(_matching("order", whole), None)),
        is_question=bool(_QUESTION.search(whole.lower())),
    )


def _phrase(text: str) -> str:
    """Remove the words that only ask and those that name a time."""
    kept = without_times(_ASIDE.sub(" ", text))
    for _, pattern in named_patterns(_TABLE, "drop"):
        kept = pattern.sub(" ", kept)
    return " ".join(kept.strip(" ?？。.!！,，:：;；").split())


def _time_hint(text: str) -> TimeHint | None:
    times = find_times(text)
    span = next((one for one in times if one.is_span), None)
    if span is not None:
        return TimeHint(span.start_s, max(span.end_s, span.start_s + 0.5), relative=False)
    if times:
        # A clock time is precise to the second, other times are more exact.
        slack_s = 1.0 if ":" in text[times[0].start : times[0].end] else 0.5
        return TimeHint(times[0].start_s - slack_s, times[0].start_s + slack_s, relative=False)
    for name in _matching("hint", text):
        start, end = (float(part) for part in name.split(":"))
        return TimeHint(start, end, relative=True)
    return None


def _count(text: str) -> int | None:
    found = _COUNTED.search(text)
    if found is None:
        return None
    return _PAIR if found[0] == "both" else number_value(found[1] or found[2])


def _matching(kind: str, text: str) -> Iterator[str]:
    return (name for name, pattern in named_patterns(_TABLE, kind) if pattern.search(text))
