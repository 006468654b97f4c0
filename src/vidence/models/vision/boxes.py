"""Merge overlapping detections, within a picture and across its tiles."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.schema.perception import Detection

__all__ = ["SAME_PLACE", "is_group", "merge_detections"]

SAME_PLACE = 0.85
"""Two boxes that overlap this much are one object, whatever their categories."""
_DOUBTED, _PART = 0.6, 0.55
"""A box with at most this share of another's confidence and this overlap shows a part of the same object."""
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
        # For tracking, a box around two people who hide each other is useful.
        if candidate.category == "person" or not is_group(candidate, kept):
            kept.append(candidate)
    return kept


def is_group(candidate: Detection, kept: Sequence[Detection]) -> bool:
    """Say whether a box surrounds several surer ones of its category, or one that is far surer."""
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
    # With people this is often a second person behind the first.
    doubted = candidate.confidence <= _DOUBTED * other.confidence and candidate.category != "person"
    return doubted and shared >= _PART * min(candidate.box.area, other.box.area)
