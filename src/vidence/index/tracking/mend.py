"""Repairing tracks once all of them are known: cut where objects crossed, and join the pieces that fit best.

Frame by frame a tracker must decide at once who is who when two people pass each other. Afterwards both
sides of the crossing are known, and speed, size and colours tell better which pieces belong together.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import hypot, log

import numpy as np
from numpy.typing import NDArray

from vidence.index.tracking.assign import best_pairs
from vidence.index.tracking.tracker import TimedBox
from vidence.schema.perception import Box, FloatArray

__all__ = ["MAX_GAP_S", "mend"]

_CUT_GAP_S = 0.35
_CROSSED = 0.4
"""Two boxes cross when this much of the smaller lies in the larger."""
MAX_GAP_S = 3.0
"""Pieces further apart than this are not joined here; later returns are linked by appearance alone."""
_FIT_S = 1.0
_COLOUR_SLOPE, _COLOUR_MIDDLE, _COLOUR_MOST = 30.0, 0.93, 2.0
"""Colours of ten detections agree to 0.97–0.99 for one person, 0.86–0.93 for two (medians of three clips)."""
_STRAY, _STRAY_GROWTH = 0.2, 0.4
"""Distance, in heights, of an object from its predicted place: at once, and growth per unseen second."""
_SIZE_SPREAD = 0.2
_MIN_WORTH = -2.5


@dataclass(frozen=True)
class _Piece:
    """A run of detections that certainly show one object."""

    sightings: tuple[TimedBox, ...]
    group: str

    @property
    def start_s(self) -> float:
        return self.sightings[0].time_s

    @property
    def end_s(self) -> float:
        return self.sightings[-1].time_s

    @cached_property
    def colours(self) -> FloatArray | None:
        """Its mean colour histogram."""
        found = [one.colours for one in self.sightings if one.colours is not None]
        if not found:
            return None
        mean = np.mean(found, axis=0)
        return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), np.float32)

    @cached_property
    def head(self) -> _Course:
        """How it moves in its first second."""
        return _fit([one for one in self.sightings if one.time_s <= self.start_s + _FIT_S], self.start_s)

    @cached_property
    def tail(self) -> _Course:
        """How it moves in its last second."""
        return _fit([one for one in self.sightings if one.time_s >= self.end_s - _FIT_S], self.end_s)


@dataclass(frozen=True)
class _Course:
    place: NDArray[np.float64]
    speed: NDArray[np.float64]
    height: float


def mend(
    tracks: Iterable[tuple[str, Sequence[TimedBox]]], *, aspect: float, times: Sequence[float]
) -> list[list[TimedBox]]:
    """Return the detections of each object, from tracks given as (group, detections).

    Args:
        aspect: width / height of the picture.
        times: the time of every analysed frame, in order.
    """
    whole = [_Piece(tuple(sightings), group) for group, sightings in tracks]
    pieces = [
        piece for one in whole for piece in _cut(one, [*_crossings(one, whole), *_absences(one, times)])
    ]
    pieces.sort(key=lambda piece: (piece.start_s, piece.end_s))
    follows = dict(best_pairs(_worths(pieces, aspect), at_least=_MIN_WORTH))
    started = set(follows.values())
    chains = []
    for index in range(len(pieces)):
        if index in started:
            continue
        chain, here = list(pieces[index].sightings), index
        while here in follows:
            here = follows[here]
            chain += pieces[here].sightings
        chains.append(chain)
    return chains


def _crossings(one: _Piece, others: Sequence[_Piece]) -> list[float]:
    """Return the middle of every period in which it and another object of its group cover each other."""
    found: list[float] = []
    for other in others:
        if other is one or other.group != one.group or other.start_s > one.end_s or other.end_s < one.start_s:
            continue
        boxes = {seen.time_s: seen.box for seen in other.sightings}
        times = [
            seen.time_s
            for seen in one.sightings
            if seen.time_s in boxes and _covered(seen.box, boxes[seen.time_s]) >= _CROSSED
        ]
        found += [(run[0] + run[-1]) / 2 for run in _runs(times)]
    return found


def _runs(times: Sequence[float]) -> list[list[float]]:
    runs: list[list[float]] = []
    for time in times:
        if runs and time - runs[-1][-1] <= 2 * _CUT_GAP_S:
            runs[-1].append(time)
        else:
            runs.append([time])
    return runs


def _covered(a: Box, b: Box) -> float:
    return a.overlap(b) / max(min(a.area, b.area), 1e-9)


def _absences(piece: _Piece, times: Sequence[float]) -> list[float]:
    """Return the times at which it was detected again after analysed frames without it."""
    return [
        after.time_s
        for before, after in pairwise(piece.sightings)
        if after.time_s - before.time_s > _CUT_GAP_S
        and bisect_left(times, after.time_s) - bisect_right(times, before.time_s) > 0
    ]


def _cut(piece: _Piece, at: Sequence[float]) -> list[_Piece]:
    bounds = [-np.inf, *sorted(at), np.inf]
    parts = [
        tuple(seen for seen in piece.sightings if low <= seen.time_s < high) for low, high in pairwise(bounds)
    ]
    return [_Piece(part, piece.group) for part in parts if part]


def _fit(sightings: Sequence[TimedBox], at_s: float) -> _Course:
    """Fit a straight course through the centres of boxes, and evaluate it at a time."""
    times = np.array([one.time_s for one in sightings]) - at_s
    places = np.array([one.box.centre for one in sightings])
    height = float(np.median([one.box.h for one in sightings]))
    spread = float(((times - times.mean()) ** 2).sum())
    # A prior of standing still keeps a short or jittery piece from being extrapolated far.
    slope = ((times - times.mean())[:, None] * (places - places.mean(axis=0))).sum(axis=0) / (spread + 0.02)
    return _Course(places.mean(axis=0) - slope * times.mean(), slope, height)


def _worths(pieces: Sequence[_Piece], aspect: float) -> NDArray[np.float64]:
    starts, ends = np.array([p.start_s for p in pieces]), np.array([p.end_s for p in pieces])
    gaps = starts[None, :] - ends[:, None]
    worths = np.full((len(pieces), len(pieces)), -np.inf)
    for row, column in np.argwhere((gaps > 0) & (gaps <= MAX_GAP_S)):
        if pieces[row].group == pieces[column].group:
            worths[row, column] = _worth(pieces[row], pieces[column], aspect)
    return worths


def _worth(before: _Piece, after: _Piece, aspect: float) -> float:
    """Return the log-odds that `after` continues `before`, against being another object."""
    gap_s = after.start_s - before.end_s
    tail, head = before.tail, after.head
    ahead = tail.place + tail.speed * gap_s - head.place
    back = head.place - head.speed * gap_s - tail.place
    height = (tail.height + head.height) / 2
    error = (hypot(ahead[0] * aspect, ahead[1]) + hypot(back[0] * aspect, back[1])) / 2 / height
    stray = _STRAY + _STRAY_GROWTH * gap_s
    worth = 1.0 - error**2 / (2 * stray**2) - log(stray / _STRAY)
    worth -= log(tail.height / head.height) ** 2 / (2 * _SIZE_SPREAD**2)
    if before.colours is not None and after.colours is not None:
        agreement = _COLOUR_SLOPE * (float(before.colours @ after.colours) - _COLOUR_MIDDLE)
        worth += float(np.clip(agreement, -5.0, _COLOUR_MOST))
    return worth
