"""Merge overlapping detections, within a picture and across tiles of it."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.schema.perception import Detection

__all__ = ["SAME_PLACE", "merge_detections"]

SAME_PLACE = 0.85
"""Two boxes that overlap this much are one thing, whatever the model calls them."""


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
        if not any(_repeats(candidate, other, iou, inside) for other in kept):
            kept.append(candidate)
    return kept


def _repeats(candidate: Detection, other: Detection, iou: float, inside: float | None) -> bool:
    overlap = candidate.box.iou(other.box)
    if overlap >= SAME_PLACE:
        return True
    if candidate.category != other.category:
        return False
    if overlap >= iou:
        return True
    area = candidate.box.area
    return inside is not None and area > 0 and candidate.box.overlap(other.box) / area >= inside
