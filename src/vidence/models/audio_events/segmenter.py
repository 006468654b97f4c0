"""From probabilities per frame to events: smoothing, hysteresis, merging, shortest lengths."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["FRAME_S", "Rules", "Segmenter", "Span"]

FRAME_S = 0.128
"""Seconds per output frame of the network."""

FloatArray = NDArray[np.float32]


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
class Span:
    """One event in frames, `first` ≤ frame < `last`, with its uncalibrated score."""

    category: int
    first: int
    last: int
    score: float


class _Track:
    """What one category is doing."""

    __slots__ = ("first", "last", "top")

    def __init__(self) -> None:
        self.first, self.last = -1, -1
        self.top: list[float] = []


class Segmenter:
    """Takes frames in order and gives spans as they end; it remembers open spans only."""

    def __init__(self, categories: int, rules: Rules) -> None:
        self._rules = rules
        self._tracks = [_Track() for _ in range(categories)]
        self._rising = np.full(categories, -1, np.int64)
        self._time = 0

    def push(self, probabilities: FloatArray) -> list[Span]:
        """Take (frames, categories) and return the spans that ended."""
        ended: list[Span] = []
        for row in probabilities:
            ended += self._step(row)
            self._time += 1
        return ended

    def flush(self) -> list[Span]:
        """End every open span."""
        ended = [self._close(c) for c, track in enumerate(self._tracks) if track.first >= 0]
        self._rising[:] = -1
        return _present(ended)

    def _step(self, row: FloatArray) -> list[Span]:
        rules = self._rules
        low = row >= rules.go_on
        self._rising = np.where(low, np.where(self._rising < 0, self._time, self._rising), -1)
        ended: list[Span | None] = []
        open_ones = [c for c, track in enumerate(self._tracks) if track.first >= 0]
        for category in {*np.flatnonzero(row >= rules.begin).tolist(), *open_ones}:
            track = self._tracks[category]
            if low[category]:
                self._extend(track, category, float(row[category]))
            elif (self._time - track.last) * FRAME_S > rules.merge_s:
                ended.append(self._close(category))
        return _present(ended)

    def _extend(self, track: _Track, category: int, value: float) -> None:
        if track.first < 0:
            # The event began when the probability left the floor, not when it crossed the bar.
            track.first, track.top = int(self._rising[category]), []
        elif value < self._rules.begin and self._time - track.last > 1:
            return  # a murmur after a pause does not revive an event
        track.last = self._time
        track.top = sorted([*track.top, value], reverse=True)[: self._rules.score_frames]

    def _close(self, category: int) -> Span | None:
        track = self._tracks[category]
        span = Span(category, track.first, track.last + 1, float(np.mean(track.top)))
        self._tracks[category] = _Track()
        long_enough = (span.last - span.first) * FRAME_S >= self._rules.shortest_s
        return span if long_enough else None


def _present(spans: Iterable[Span | None]) -> list[Span]:
    return [span for span in spans if span is not None]
