"""Long shots in phases: where the picture of one shot changes, it is described anew."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vidence.schema.observations import Caption
from vidence.schema.time import TimeRange
from vidence.store import Store

__all__ = ["PHASES_ID", "phases_of", "shot_captions", "shot_phases"]

PHASES_ID = "phases@1"
_LEAST_S, _MOST_S = 4.0, 20.0
"""The shortest phase, and the longest that is not cut however little changes."""
_OTHER = 0.12
"""How far the mean pictures of two sides must lie apart (1 − cosine) to be two phases."""


def phases_of(store: Store, video_id: str, duration_s: float) -> list[TimeRange]:
    """Return the phases of every shot of a video, in order."""
    shots = [
        TimeRange(start_time=one.start_time, end_time=one.end_time)
        for one in store.segments.load(video_id, "fine")
    ] or [TimeRange(start_time=0.0, end_time=max(duration_s, 0.001))]
    return [phase for shot in shots for phase in shot_phases(store, video_id, shot)]


def shot_captions(rows: Sequence[Caption]) -> dict[str, Caption]:
    """Return one caption for each shot: the distinct sentences about its phases, one after the other."""
    of_shot: dict[str, list[Caption]] = {}
    for row in rows:
        of_shot.setdefault(row.segment_id, []).append(row)
    return {
        name: Caption(
            segment_id=name,
            start_time=found[0].start_time,
            end_time=found[-1].end_time,
            en=" ".join(dict.fromkeys(row.en for row in found)),
            zh="".join(dict.fromkeys(row.zh for row in found)),
            confidence=max(row.confidence for row in found),
        )
        for name, found in of_shot.items()
    }


def shot_phases(store: Store, video_id: str, shot: TimeRange) -> list[TimeRange]:
    """Return the phases of one shot; a short one is a single phase."""
    if shot.duration_s < 2 * _LEAST_S:
        return [shot]
    rows = [
        row
        for row in store.vectors.load(video_id, "image_vectors", span=shot)
        if shot.start_time <= row.start_time < shot.end_time
    ]
    times = np.array([row.start_time for row in rows])
    vectors = np.array([row.vector for row in rows], np.float32)
    edges = [shot.start_time, *_cuts(times, vectors, shot.start_time, shot.end_time), shot.end_time]
    return [TimeRange(start_time=start, end_time=end) for start, end in pairwise(edges)]


def _cuts(
    times: NDArray[np.float64], vectors: NDArray[np.float32], start_s: float, end_s: float
) -> list[float]:
    """Return where to cut a span: where its two sides differ most, or in the middle of a very long one."""
    if end_s - start_s < 2 * _LEAST_S:
        return []
    inside = [index for index, time in enumerate(times) if start_s <= time < end_s]
    best_s, gain = _best_cut(inside, times, vectors, start_s, end_s)
    if gain < _OTHER:
        if end_s - start_s <= _MOST_S:
            return []
        best_s = (start_s + end_s) / 2
    cut = round(float(best_s), 3)
    return [*_cuts(times, vectors, start_s, cut), cut, *_cuts(times, vectors, cut, end_s)]


def _best_cut(
    inside: Sequence[int],
    times: NDArray[np.float64],
    vectors: NDArray[np.float32],
    start_s: float,
    end_s: float,
) -> tuple[float, float]:
    best = (0.0, 0.0)
    for place in range(1, len(inside)):
        cut = times[inside[place]]
        if cut - start_s < _LEAST_S or end_s - cut < _LEAST_S:
            continue
        before, after = (vectors[list(part)].mean(axis=0) for part in (inside[:place], inside[place:]))
        norm = float(np.linalg.norm(before) * np.linalg.norm(after)) or 1.0
        apart = 1.0 - float(before @ after) / norm
        if apart > best[1]:
            best = (float(cut), apart)
    return best
