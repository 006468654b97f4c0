"""Merge overlapping detections, within a picture and across tiles of it."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.schema.perception import Detection

__all__ = ["SAME_PLACE", "is_group", "merge_detections"]

SAME_PLACE = 0.85
"""Two boxes that overlap this much are one thing, whatever the model calls them."""
_DOUBTED, _PART = 0.6, 0.55
"""A box so much less sure than another, this much of the smaller being shared, shows a part of the same."""
_HELD, _FEW = 0.85, 2


def merge_detections(
    found: Sequence[Detection], *, iou: float = 0.5, inside: float | None = None
) -> list[Detection]:
    """Return the detections without repeats, the surest first.

    Args:
        iou: overlap from which two boxes of one category are the same object.
        inside: also drop a box when this much of it lies in a surer one of its category.
    """
    kept: list[Detection] = []
    for candidate in sorted(found, key=lambda d: -d.confidence):
        if any(_repeats(candidate, other, iou, inside) for other in kept):
            continue
        # Whoever follows people can use a box around two that hide each other.
        if candidate.category == "person" or not is_group(candidate, kept):
            kept.append(candidate)
    return kept


def is_group(candidate: Detection, kept: Sequence[Detection]) -> bool:
    """Say whether a box is drawn around several surer ones of its category, or around one far surer."""
    held = [
        other
        for other in kept
        if other.category == candidate.category
        and other.box.overlap(candidate.box) >= _HELD * other.box.area > 0
    ]
    return len(held) >= _FEW or any(candidate.confidence <= other.confidence / 2 for other in held)


def _repeats(candidate: Detection, other: Detection, iou: float, inside: float | None) -> bool:
    shared = candidate.box.overlap(other.box)
    if shared <= 0:
        return False
    overlap = candidate.box.iou(other.box)
    if overlap >= SAME_PLACE:
        return True
    if candidate.category != other.category:
        return False
    if overlap >= iou or (inside is not None and shared >= inside * candidate.box.area):
        return True
    # Of people this is often another one, behind the first.
    doubted = candidate.confidence <= _DOUBTED * other.confidence and candidate.category != "person"
    return doubted and shared >= _PART * min(candidate.box.area, other.box.area)
