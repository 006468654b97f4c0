"""Activities as stretches of time: joining what holds now and then into what goes on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vidence.schema.time import TimeRange

__all__ = ["Activity", "Moment", "clip_to", "join_moments", "merge_same"]


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that holds for a short while, and how sure that is."""

    start_s: float
    end_s: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Activity:
    """Something that goes on for a stretch of time."""

    label: str
    confidence: float
    start_s: float
    end_s: float


def join_moments(label: str, moments: Sequence[Moment], *, gap_s: float) -> list[Activity]:
    """Join moments no further apart than `gap_s`; an activity is as sure as its moments on average."""
    joined: list[list[Moment]] = []
    for moment in sorted(moments, key=lambda one: one.start_s):
        if joined and moment.start_s - max(one.end_s for one in joined[-1]) <= gap_s:
            joined[-1].append(moment)
        else:
            joined.append([moment])
    return [
        Activity(
            label,
            sum(one.confidence for one in run) / len(run),
            run[0].start_s,
            max(one.end_s for one in run),
        )
        for run in joined
    ]


def merge_same(activities: Iterable[Activity], *, gap_s: float) -> list[Activity]:
    """Join activities of one label that overlap or nearly touch, keeping the surest one's confidence."""
    merged: list[Activity] = []
    for one in sorted(activities, key=lambda each: (each.label, each.start_s)):
        last = merged[-1] if merged else None
        if last is not None and last.label == one.label and one.start_s - last.end_s <= gap_s:
            merged[-1] = Activity(
                one.label, max(last.confidence, one.confidence), last.start_s, max(last.end_s, one.end_s)
            )
        else:
            merged.append(one)
    return merged


def clip_to(activities: Iterable[Activity], span: TimeRange) -> list[Activity]:
    """Cut activities off at the ends of `span` and leave out what lies outside."""
    cut = [
        Activity(one.label, one.confidence, max(one.start_s, span.start_time), min(one.end_s, span.end_time))
        for one in activities
    ]
    return [one for one in cut if one.end_s > one.start_s]
