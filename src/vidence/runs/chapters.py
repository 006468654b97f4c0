"""Chapters: where the notes of a video turn to something else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vidence.schema.reading import NotedLine
from vidence.schema.time import TimeRange

__all__ = ["chapters_of"]

_USUAL_S, _LEAST_S, _MOST = 45.0, 8.0, 8
_BINS = 60
_OTHER = 0.12
"""How far the notes before and after a time must lie apart (1 − cosine) to begin a chapter there."""


def chapters_of(
    lines: Sequence[NotedLine], vectors: NDArray[np.float32], duration_s: float
) -> list[TimeRange]:
    """Return the chapters of a video: cut where what is said, read and seen changes most."""
    wanted = min(_MOST, max(1, round(duration_s / _USUAL_S)))
    edges = [0.0, duration_s]
    times = np.linspace(0, duration_s, min(_BINS, max(2, int(duration_s / 2))) + 1)[1:-1]
    apart = {float(time): _apart(lines, vectors, float(time), duration_s / wanted / 2) for time in times}
    for time in sorted(apart, key=lambda one: -apart[one]):
        if len(edges) > wanted or apart[time] < _OTHER:
            break
        if min(abs(time - edge) for edge in edges) >= max(_LEAST_S, duration_s / wanted / 3):
            edges.append(_nearest_start(lines, time, duration_s / _BINS))
    found = pairwise(sorted(set(edges)))
    return [TimeRange(start_time=round(start, 3), end_time=round(end, 3)) for start, end in found]


def _apart(lines: Sequence[NotedLine], vectors: NDArray[np.float32], time_s: float, around_s: float) -> float:
    sides = []
    for start, end in ((time_s - around_s, time_s), (time_s, time_s + around_s)):
        inside = [index for index, one in enumerate(lines) if one.start_time < end and one.end_time > start]
        if not inside:
            return 0.0
        sides.append(vectors[inside].mean(axis=0))
    norm = float(np.linalg.norm(sides[0]) * np.linalg.norm(sides[1])) or 1.0
    return 1.0 - float(sides[0] @ sides[1]) / norm


def _nearest_start(lines: Sequence[NotedLine], time_s: float, within_s: float) -> float:
    """Return the beginning of a note that is near, so that no sentence is cut."""
    near = [one.start_time for one in lines if 0 < abs(one.start_time - time_s) <= within_s]
    return min(near, key=lambda one: abs(one - time_s), default=time_s)
