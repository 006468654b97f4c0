"""Spans with a confidence, joined to activities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Activity", "ScoredSpan", "join_spans"]


@dataclass(frozen=True, slots=True)
class ScoredSpan:
    """A short span with a confidence."""

    start_s: float
    end_s: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Activity:
    """A labelled span with a confidence."""

    label: str
    confidence: float
    start_s: float
    end_s: float

    def meets(self, other: Activity) -> bool:
        """Tell whether both go on at some time."""
        return self.start_s < other.end_s and other.start_s < self.end_s


def join_spans(label: str, spans: Sequence[ScoredSpan], *, gap_s: float) -> list[Activity]:
    """Join spans no further apart than `gap_s`; an activity has the mean confidence of its spans."""
    joined: list[list[ScoredSpan]] = []
    for span in sorted(spans, key=lambda one: one.start_s):
        if joined and span.start_s - max(one.end_s for one in joined[-1]) <= gap_s:
            joined[-1].append(span)
        else:
            joined.append([span])
    return [
        Activity(
            label,
            sum(one.confidence for one in run) / len(run),
            run[0].start_s,
            max(one.end_s for one in run),
        )
        for run in joined
    ]
