"""From probabilities per frame to events: smoothing, hysteresis, merging, shortest lengths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vidence.schema.perception import FloatArray

__all__ = ["FRAME_S", "EventSpan", "Rules", "Segmenter"]

FRAME_S = 0.128
"""Seconds per output frame of the network."""


@dataclass(frozen=True, slots=True)
class Rules:
    """When an event begins, goes on, ends and counts."""

    begin: float = 0.6
    go_on: float = 0.1
    merge_s: float = 1.5
    shortest_s: float = 0.25
    score_frames: int = 8
    """An event's score is the mean of its highest frames, this many at most."""


@dataclass(frozen=True, slots=True)
class EventSpan:
    """One event in frames, `first` ≤ frame < `last`, with its uncalibrated score."""

    category: int
    first: int
    last: int
    score: float


class _Track:
    """The open span of one category."""

    __slots__ = ("first", "last", "top")

    def __init__(self) -> None:
        self.first, self.last = -1, -1
        self.top: list[float] = []


class Segmenter:
    """Takes frames in order and returns spans as they end; it keeps open spans only."""

    def __init__(self, categories: int, rules: Rules) -> None:
        self._rules = rules
        self._tracks = [_Track() for _ in range(categories)]
        self._rising = np.full(categories, -1, np.int64)
        self._time = 0

    def push(self, probabilities: FloatArray) -> list[EventSpan]:
        """Take (frames, categories) and return the spans that ended."""
        if not len(probabilities):
            return []
        low = probabilities >= self._rules.go_on
        rising = self._rises(low)
        strong = set(np.nonzero(probabilities >= self._rules.begin)[1].tolist())
        ended: list[EventSpan] = []
        # Frame by frame, but only through the few categories with an open or a beginning span.
        for category, track in enumerate(self._tracks):
            if category in strong or track.first >= 0:
                columns = (array[:, category].tolist() for array in (probabilities, low, rising))
                ended += self._follow(category, *columns)
        self._time += len(probabilities)
        self._rising = rising[-1]
        return ended

    def flush(self) -> list[EventSpan]:
        """End every open span."""
        ended = [self._close(c) for c, track in enumerate(self._tracks) if track.first >= 0]
        self._rising[:] = -1
        return _present(ended)

    def _rises(self, low: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return, for each frame, since when its category has been off the floor; -1 where it is not."""
        times = self._time + np.arange(len(low))[:, None]
        begun = np.where(low[0] & (self._rising >= 0), self._rising, self._time)
        after_floor = np.maximum.accumulate(np.where(low, begun, times + 1), axis=0)
        return np.where(low, after_floor, -1)

    def _follow(
        self, category: int, values: list[float], low: list[bool], rising: list[int]
    ) -> Iterator[EventSpan]:
        """Go through the frames of one category and yield its spans that ended."""
        for time, (value, is_low, since) in enumerate(zip(values, low, rising, strict=True), self._time):
            track = self._tracks[category]
            if track.first < 0 and value < self._rules.begin:
                continue
            if is_low:
                self._extend(track, time, value, since)
            elif (time - track.last) * FRAME_S > self._rules.merge_s:
                yield from _present([self._close(category)])

    def _extend(self, track: _Track, time: int, value: float, since: int) -> None:
        if track.first < 0:
            # The event began when the probability left the floor, not when it crossed the bar.
            track.first, track.top = since, []
        elif value < self._rules.begin and time - track.last > 1:
            return  # A low probability after a pause does not continue an event.
        track.last = time
        track.top = sorted([*track.top, value], reverse=True)[: self._rules.score_frames]

    def _close(self, category: int) -> EventSpan | None:
        track = self._tracks[category]
        span = EventSpan(category, track.first, track.last + 1, float(np.mean(track.top)))
        self._tracks[category] = _Track()
        long_enough = (span.last - span.first) * FRAME_S >= self._rules.shortest_s
        return span if long_enough else None


def _present(spans: Iterable[EventSpan | None]) -> list[EventSpan]:
    return [span for span in spans if span is not None]
