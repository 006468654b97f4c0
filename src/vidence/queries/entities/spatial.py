"""Spatial relations of two objects: direction, distance, relative size and interaction."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import Literal

from vidence.schema.perception import Box

__all__ = [
    "HANDHELD",
    "Distance",
    "Interaction",
    "direction_of",
    "distance_class",
    "interaction_of",
    "near_each_other",
    "normal_distance",
    "relative_size",
]

Distance = Literal["close", "medium", "far"]
Interaction = Literal[
    "no_interaction", "touching", "holding", "riding", "sitting_on", "hugging", "looking_at"
]

HANDHELD = frozenset({
    "cup", "bottle", "wine glass", "bowl", "fork", "knife", "spoon", "cell phone", "remote", "book",
    "laptop", "mouse", "scissors", "toothbrush", "hair drier", "handbag", "backpack", "suitcase",
    "umbrella", "sports ball", "frisbee", "tennis racket", "baseball bat", "baseball glove", "kite",
    "teddy bear", "banana", "apple", "orange", "sandwich", "hot dog", "donut", "pizza", "cake",
    "carrot",
})  # fmt: skip
"""Categories of the detector that people hold in their hands."""
_RIDDEN = frozenset({"bicycle", "motorcycle", "horse", "skateboard", "surfboard", "snowboard", "skis"})
_SAT_ON = frozenset({"chair", "couch", "bench", "bed", "toilet"})

_CLOSE, _MEDIUM = 0.26, 0.55
_SAME_PLACE = 0.25
_ALSO = 0.6
_SAME_SIZE = 1.25
_HELD_INSIDE = 0.4
_HELD_SIZE = 0.5
_SAME_GROUND = 0.2
"""Objects whose lower edges are this close, in heights of the larger, may be at the same depth."""


def direction_of(first: Box, second: Box, *, aspect: float) -> str:
    """Return on which side of the second object the first one is."""
    dx, dy = (first.centre[0] - second.centre[0]) * aspect, first.centre[1] - second.centre[1]
    size = (_size(first, aspect) + _size(second, aspect)) / 2
    if hypot(dx, dy) < _SAME_PLACE * size and first.overlap(second) > 0:
        return "entity_1 is at the same place as entity_2"
    across, along = ("to the left of" if dx < 0 else "to the right of"), ("above" if dy < 0 else "below")
    if abs(dy) <= _ALSO * abs(dx):
        return f"entity_1 is {across} entity_2"
    if abs(dx) <= _ALSO * abs(dy):
        return f"entity_1 is {along} entity_2"
    return f"entity_1 is {across} and {along} entity_2"


def normal_distance(first: Box, second: Box, *, aspect: float) -> float:
    """Return 0 to 1: the gap between the boxes against itself plus the mean size of the two.

    So two people far from the camera who stand side by side are close; 0 is touching, 0.5 is as far apart as
    they are large.
    """
    across = max(first.x - second.x - second.w, second.x - first.x - first.w, 0.0) * aspect
    along = max(first.y - second.y - second.h, second.y - first.y - first.h, 0.0)
    gap, size = hypot(across, along), (_size(first, aspect) + _size(second, aspect)) / 2
    return gap / (gap + size) if gap + size > 0 else 0.0


def distance_class(normal: float) -> Distance:
    """Name a normalised distance."""
    return "close" if normal < _CLOSE else "medium" if normal < _MEDIUM else "far"


def relative_size(first: Box, second: Box) -> str:
    """Compare the areas."""
    ratio = first.area / max(second.area, 1e-9)
    if 1 / _SAME_SIZE <= ratio <= _SAME_SIZE:
        return "entity_1 is about the same size as entity_2"
    return f"entity_1 is {'larger' if ratio > 1 else 'smaller'} than entity_2"


def interaction_of(
    first: tuple[str, Box], second: tuple[str, Box], moments: Sequence[tuple[Box, Box]]
) -> tuple[Interaction, float]:
    """Return how the two interact, and the confidence.

    Args:
        first: category and box, as `second`.
        moments: the boxes of both at neighbouring times; a momentary interaction is less certain.
    """
    votes = [_at_once(first[0], a, second[0], b) for a, b in [(first[1], second[1]), *moments]]
    kind = votes[0]
    share = sum(vote == kind for vote in votes) / len(votes)
    return kind, round(0.5 + 0.4 * share, 3)


def near_each_other(a: Box, b: Box) -> bool:
    """Return whether the boxes overlap and may be at the same depth."""
    ground = abs(a.y + a.h - b.y - b.h) / max(a.h, b.h, 1e-9)
    return a.overlap(b) > 0 and ground <= _SAME_GROUND


def _at_once(kind_a: str, a: Box, kind_b: str, b: Box) -> Interaction:
    if "person" in (kind_a, kind_b) and kind_a != kind_b:
        person, thing, kind = (a, b, kind_b) if kind_a == "person" else (b, a, kind_a)
        found = _person_and(person, thing, kind)
        if found is not None:
            return found
    return "touching" if near_each_other(a, b) else "no_interaction"


def _person_and(person: Box, thing: Box, kind: str) -> Interaction | None:
    inside = person.overlap(thing) / max(thing.area, 1e-9)
    if kind in HANDHELD and inside >= _HELD_INSIDE and thing.area <= _HELD_SIZE * person.area:
        return "holding"
    astride = person.overlap(thing) > 0 and person.centre[1] < thing.centre[1]
    across = min(person.x + person.w, thing.x + thing.w) - max(person.x, thing.x)
    if kind in _RIDDEN and astride and across >= 0.5 * min(person.w, thing.w):
        return "riding"
    if kind in _SAT_ON and astride and inside >= 0.3 and across >= 0.6 * min(person.w, thing.w):
        return "sitting_on"
    return None


def _size(box: Box, aspect: float) -> float:
    return max(box.w * aspect, box.h)
