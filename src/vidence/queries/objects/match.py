"""How well a detected object matches a query: each part of the query is measured, none is guessed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from vidence.language.colours import kin_of
from vidence.language.objects import Garment, ObjectQuery, Part
from vidence.models.vision.colours import ColourShare
from vidence.schema.perception import Box, Detection

__all__ = ["Measured", "can_tell", "match_score", "pick_extremes"]

_FULL_SHARE = 0.35
"""Share of a garment that a colour must cover for a full score."""
_KIN_WEIGHT = 0.5
_UNTOLD = 0.5
"""What a person is worth whose clothes are not clear enough to be told."""
_NEAR = 0.35
"""Largest gap between two objects that are together, in sizes of the smaller."""


@dataclass(frozen=True)
class Measured:
    """One detection with its measured attributes and colours."""

    found: Detection
    attributes: Mapping[str, str]
    upper: Sequence[ColourShare] = ()
    lower: Sequence[ColourShare] = ()
    body: Sequence[ColourShare] = ()
    """Colours of an object that is no person."""


def match_score(query: ObjectQuery, thing: Measured, others: Sequence[Measured]) -> float:
    """Return the match from 0 to 1; an attribute that cannot be measured does not match."""
    if query.head is None or thing.found.category not in query.head.categories:
        return 0.0
    scores = [_wears(thing, "any", query.head.colours)]
    scores += [_wears(thing, garment, colours) for garment, colours in query.garments]
    scores += [_POSITIONS[position](thing.found.box) for position in query.positions]
    scores += [_sized(thing, size) for size in query.sizes]
    scores += [float(thing.attributes.get("posture") == posture) for posture in query.postures]
    scores += [_has_trait(thing, name, value) for name, value in query.traits]
    scores += [_together(thing, part, others) for part in query.companions]
    scores += [float(colour in thing.attributes.get("top_color", "").split(" and ")) for colour in query.tops]
    scores += [_lacks(clause, thing, others) for clause in query.denied]
    return min(scores)


def can_tell(query: ObjectQuery, thing: Measured) -> bool:
    """Return whether everything that the query asks of an object could be measured."""
    if query.postures and "posture" not in thing.attributes:
        return False
    if any(name not in thing.attributes for name, _ in query.traits):
        return False
    regions = [_regions(thing, garment) for garment, colours in query.garments if colours]
    if query.head is not None and query.head.colours:
        regions.append(_regions(thing, "any"))
    known = all(any(region for region in parts) for parts in regions)
    return known and (not query.tops or "top_color" in thing.attributes)


def pick_extremes(query: ObjectQuery, things: Sequence[Measured]) -> list[Measured]:
    """Return the one object that is leftmost, largest, … if the query asks for it, else all."""
    kept = list(things)
    for extreme in query.extremes:
        kept = [min(kept, key=_EXTREMES[extreme])] if kept else []
    return kept


def _wears(thing: Measured, garment: Garment, colours: Sequence[str]) -> float:
    if not colours:
        return 1.0
    regions = _regions(thing, garment)
    return min(max(_coloured(region, colour) for region in regions) for colour in colours)


def _has_trait(thing: Measured, name: str, value: str) -> float:
    """Return whether a person wears it; clothes that could not be told may be it."""
    known = thing.attributes.get(name)
    return _UNTOLD if known is None else float(known == value)


def _regions(thing: Measured, garment: Garment) -> list[Sequence[ColourShare]]:
    parts = {"upper": [thing.upper], "lower": [thing.lower], "any": [thing.upper, thing.lower, thing.body]}
    return parts[garment]


def _lacks(clause: ObjectQuery, thing: Measured, others: Sequence[Measured]) -> float:
    """Return how well the negation of a clause matches; 0 if the clause could not be measured."""
    return 1.0 - match_score(clause, thing, others) if can_tell(clause, thing) else 0.0


def _coloured(region: Sequence[ColourShare], colour: str) -> float:
    kin = kin_of()[colour]
    share = sum(
        found.share * (1.0 if found.name == colour else _KIN_WEIGHT if found.name in kin else 0.0)
        for found in region
    )
    return min(1.0, share / _FULL_SHARE)


def _sized(thing: Measured, size: str) -> float:
    order = ("small", "medium", "large")
    return 1.0 - 0.5 * abs(order.index(size) - order.index(thing.attributes.get("size", "medium")))


def _together(thing: Measured, part: Part, others: Sequence[Measured]) -> float:
    """Return how well an object of the queried kind touches or is close to `thing`."""
    scores = [
        _nearness(thing.found.box, other.found.box) * _wears(other, "any", part.colours)
        for other in others
        if other is not thing and other.found.category in part.categories
    ]
    return max(scores, default=0.0)


def _nearness(a: Box, b: Box) -> float:
    gap_x = max(a.x - b.x - b.w, b.x - a.x - a.w, 0.0) / max(min(a.w, b.w), 1e-6)
    gap_y = max(a.y - b.y - b.h, b.y - a.y - a.h, 0.0) / max(min(a.h, b.h), 1e-6)
    gap = max(gap_x, gap_y)
    return 1.0 if gap == 0 else 0.7 if gap < _NEAR else 0.0


def _ramp(value: float, full: float, none: float) -> float:
    """Return 1 at `full`, 0 at `none`, linear in between."""
    return min(1.0, max(0.0, (value - none) / (full - none)))


_POSITIONS: Mapping[str, Callable[[Box], float]] = {
    "left": lambda box: _ramp(box.centre[0], 0.42, 0.55),
    "right": lambda box: _ramp(box.centre[0], 0.58, 0.45),
    "top": lambda box: _ramp(box.centre[1], 0.42, 0.55),
    "bottom": lambda box: _ramp(box.centre[1], 0.58, 0.45),
    "center": lambda box: min(
        _ramp(abs(box.centre[0] - 0.5), 0.15, 0.3), _ramp(abs(box.centre[1] - 0.5), 0.25, 0.4)
    ),
}
_EXTREMES: Mapping[str, Callable[[Measured], float]] = {
    "leftmost": lambda thing: thing.found.box.centre[0],
    "rightmost": lambda thing: -thing.found.box.centre[0],
    "largest": lambda thing: -thing.found.box.area,
    "smallest": lambda thing: thing.found.box.area,
}
