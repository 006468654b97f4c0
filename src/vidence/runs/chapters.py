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
_SHORTEST_SCENE_S = 4.0
"""A scene is a chapter of its own from this length on, where there are not too many."""
_BINS = 60
_OTHER = 0.12
"""How far the notes before and after a time must lie apart (1 − cosine) to begin a chapter there."""


def chapters_of(
    lines: Sequence[NotedLine],
    vectors: NDArray[np.float32],
    duration_s: float,
    scenes: Sequence[float] = (),
) -> list[TimeRange]:
    """Return the chapters of a video: its scenes, and what is said, read and seen where one goes on for long.

    Args:
        scenes: when each scene begins.
    """
    edges = _scene_edges(scenes, duration_s)
    parts = [part for start, end in pairwise(edges) for part in _turns(lines, vectors, start, end)]
    found = pairwise([*parts, duration_s])
    return [TimeRange(start_time=round(start, 3), end_time=round(end, 3)) for start, end in found]


def _scene_edges(scenes: Sequence[float], duration_s: float) -> list[float]:
    """Return where scenes begin and the end; of too many, the shortest are joined to the one before."""
    edges = [0.0, *sorted(time for time in set(scenes) if 0 < time < duration_s), duration_s]
    least = max(_SHORTEST_SCENE_S, duration_s / _MOST / 2)
    while len(edges) > 2:
        lengths = [end - start for start, end in pairwise(edges)]
        shortest = int(np.argmin(lengths))
        if lengths[shortest] >= least and len(lengths) <= _MOST:
            break
        del edges[max(1, shortest)]
    return edges


def _turns(
    lines: Sequence[NotedLine], vectors: NDArray[np.float32], start_s: float, end_s: float
) -> list[float]:
    """Return where the chapters of one scene begin: its start, and where its notes change most."""
    length = end_s - start_s
    wanted = min(_MOST, max(1, round(length / _USUAL_S)))
    starts = [start_s]
    times = np.linspace(start_s, end_s, min(_BINS, max(2, int(length / 2))) + 1)[1:-1]
    apart = {float(time): _apart(lines, vectors, float(time), length / wanted / 2) for time in times}
    for time in sorted(apart, key=lambda one: -apart[one]):
        if len(starts) >= wanted or apart[time] < _OTHER:
            break
        if min(abs(time - edge) for edge in (*starts, end_s)) >= max(_LEAST_S, length / wanted / 3):
            starts.append(_nearest_start(lines, time, length / _BINS))
    return sorted(set(starts))


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
