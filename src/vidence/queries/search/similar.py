"""Segments similar to a given one: by appearance, by content or by motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vidence.queries.search.grid import Grid
from vidence.queries.search.material import Material
from vidence.schema.time import TimeRange

__all__ = ["SIMILAR_ID", "Likeness", "SimilarSpan", "similar_segments"]

Likeness = Literal["visual", "semantic", "motion"]
Floats = NDArray[np.float64]

SIMILAR_ID = "segment-similarity@1"
_WHOLE_SHOT = 0.8
"""A reference that covers this share of its shot is compared with shots, else with spans of its length."""
_STEPS_PER_WINDOW = 4
_LEAST = 0.5
_APART = 0.5
_VISUAL, _SEMANTIC = (0.74, 0.06), (0.5, 0.1)
"""Midpoint and width of the logistic function from cosine similarity to score."""
_LIGHT_SPREAD = 0.15
_MOTION_SCALE = np.array([0.05, 0.05, 0.05, 0.02, 0.1])
"""Differences of pan, tilt, zoom, shake and activity that count as one step apart."""
_MOTION_SPREAD = 1.2
_SAME_PLACE = 0.85
_STILL = 0.02


@dataclass(frozen=True)
class SimilarSpan:
    """A span and its similarity to the reference, 0 to 1."""

    segment_id: str
    start_s: float
    end_s: float
    score: float


def similar_segments(
    grid: Grid, reference: TimeRange, *, likeness: Likeness, limit: int, span: TimeRange | None = None
) -> list[SimilarSpan]:
    """Return the spans most similar to the reference, the best first; none overlaps it or another."""
    material = grid.material
    starts, ends = _candidates(grid, reference)
    if span is not None:
        inside = (starts >= span.start_time - 1e-3) & (ends <= span.end_time + 1e-3)
        starts, ends = starts[inside], ends[inside]
    apart = (ends <= reference.start_time + 1e-3) | (starts >= reference.end_time - 1e-3)
    starts, ends = starts[apart], ends[apart]
    if not len(starts):
        return []
    scores = _SCORES[likeness](grid, reference, starts, ends)
    # An action is similar to itself shifted by a moment; that must not count as a repetition.
    gap_s = 0.0 if is_whole_shot(material, reference) else _APART * reference.duration_s
    kept: list[SimilarSpan] = []
    for index in np.argsort(-scores, kind="stable"):
        start, end, score = float(starts[index]), float(ends[index]), float(scores[index])
        if score < _LEAST or len(kept) >= limit:
            break
        if all(_apart(start, end, one, gap_s) for one in kept):
            kept.append(SimilarSpan(material.shot_at((start + end) / 2).segment_id, start, end, score))
    return kept


def _apart(start: float, end: float, other: SimilarSpan, gap_s: float) -> bool:
    return end + gap_s <= other.start_s + 1e-3 or start >= other.end_s + gap_s - 1e-3


def is_whole_shot(material: Material, reference: TimeRange) -> bool:
    """Return whether the reference covers most of a shot."""
    shot = material.shot_at((reference.start_time + reference.end_time) / 2)
    return reference.duration_s >= _WHOLE_SHOT * shot.duration_s


def _candidates(grid: Grid, reference: TimeRange) -> tuple[Floats, Floats]:
    """Return shots, or windows as long as the reference that slide along each shot."""
    material = grid.material
    if is_whole_shot(material, reference):
        spans = [(shot.start_time, shot.end_time) for shot in material.shots]
        return np.array([s for s, _ in spans]), np.array([e for _, e in spans])
    length = max(reference.duration_s, grid.step_s)
    step = max(grid.step_s, length / _STEPS_PER_WINDOW)
    starts: list[float] = []
    ends: list[float] = []
    for shot in material.shots:
        own = np.arange(shot.start_time, max(shot.end_time - length, shot.start_time) + 1e-6, step)
        starts += own.tolist()
        ends += np.minimum(own + length, shot.end_time).tolist()
    return np.array(starts), np.array(ends)


def _visual(grid: Grid, reference: TimeRange, starts: Floats, ends: Floats) -> Floats:
    looks = _cosine(grid.looks.mean(*_one(reference))[0], grid.looks.mean(starts, ends))
    light = np.abs(grid.light.mean(starts, ends) - grid.light.mean(*_one(reference)))
    return np.asarray(_chance(looks, *_VISUAL) * np.exp(-light.max(axis=1) / (2 * _LIGHT_SPREAD)))


def _semantic(grid: Grid, reference: TimeRange, starts: Floats, ends: Floats) -> Floats:
    words = _cosine(grid.words.mean(*_one(reference))[0], grid.words.mean(starts, ends))
    own, others = grid.named.mean(*_one(reference))[0], grid.named.mean(starts, ends)
    shared = np.minimum(own, others).sum(axis=1) / np.maximum(np.maximum(own, others).sum(axis=1), 1e-9)
    known = own.sum() > 0
    content = (
        0.6 * _chance(words, *_SEMANTIC) + 0.4 * np.sqrt(shared) if known else _chance(words, *_SEMANTIC)
    )
    if is_whole_shot(grid.material, reference):
        return np.asarray(content)
    # Within one scene all frames look alike; only motion and changes distinguish spans.
    happening = _happening(grid, reference, starts, ends)
    return np.asarray(np.where(words >= _SAME_PLACE, content * happening, content * (0.5 + 0.5 * happening)))


def _motion(grid: Grid, reference: TimeRange, starts: Floats, ends: Floats) -> Floats:
    apart = grid.motion.curve(starts, ends) - grid.motion.curve(*_one(reference))
    mean = grid.motion.mean(starts, ends) - grid.motion.mean(*_one(reference))
    course = np.sqrt(((apart / _MOTION_SCALE) ** 2).mean(axis=(1, 2)))
    overall = np.sqrt(((mean / _MOTION_SCALE) ** 2).mean(axis=1))
    return np.asarray(np.exp(-(((0.5 * course + 0.5 * overall) / _MOTION_SPREAD) ** 2)))


def _happening(grid: Grid, reference: TimeRange, starts: Floats, ends: Floats) -> Floats:
    """Compare the amount of motion, and which objects appeared or disappeared."""
    own = grid.motion.mean(*_one(reference))[0, 4]
    others = grid.motion.mean(starts, ends)[:, 4]
    busy = np.minimum(own, others) / np.maximum(np.maximum(own, others), 1e-9)
    moving = np.where((own < _STILL) & (others < _STILL), 1.0, np.sqrt(busy))
    change, changes = _came_and_went(grid, *_one(reference))[0], _came_and_went(grid, starts, ends)
    return np.asarray(moving * np.exp(-np.abs(changes - change).sum(axis=1)))


def _came_and_went(grid: Grid, starts: Floats, ends: Floats) -> Floats:
    """Return the change in the number of objects of each category over each span."""
    before = grid.counts.mean(np.maximum(starts - 1.0, 0.0), np.maximum(starts, 0.25))
    after = grid.counts.mean(ends, ends + 1.0)
    return np.asarray(np.round(after - before))


def _one(span: TimeRange) -> tuple[Floats, Floats]:
    return np.array([span.start_time]), np.array([span.end_time])


def _cosine(one: Floats, many: Floats) -> Floats:
    lengths = np.linalg.norm(many, axis=1) * np.linalg.norm(one)
    return np.asarray(many @ one / np.maximum(lengths, 1e-12))


def _chance(cosine: Floats, middle: float, spread: float) -> Floats:
    return np.asarray(1 / (1 + np.exp(-(cosine - middle) / spread)))


_SCORES = {"visual": _visual, "semantic": _semantic, "motion": _motion}
