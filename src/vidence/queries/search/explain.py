"""Explain why two spans are similar, from what was measured in both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vidence.language.categories import categories
from vidence.queries.search.grid import Grid
from vidence.queries.search.similar import Likeness
from vidence.schema.time import TimeRange

__all__ = ["explain"]

_THERE = 0.4
_SURE = 0.5
_MOST_NAMES = 3
_CLOSE, _FAR = 0.35, 0.05
_PAN, _ZOOM, _BUSY, _STILL = 0.03, 0.02, 0.06, 0.01
_DARK, _BRIGHT = 0.25, 0.65
_MIN_COLOUR = 0.2


@dataclass(frozen=True)
class _Traits:
    """The properties of one span that can be put into words."""

    things: frozenset[str]
    pictures: frozenset[str]
    """Kinds of picture and actions."""
    framing: str | None
    colours: frozenset[str]
    light: str | None
    camera: str
    moving: str | None
    words: frozenset[str]


def explain(grid: Grid, reference: TimeRange, other: TimeRange, likeness: Likeness) -> str:
    """Return one sentence with the evidence that both spans share."""
    one, two = _traits(grid, reference), _traits(grid, other)
    seen = list(_content(one, two))
    looks = list(_looks(one, two))
    motion = list(_motion(one, two))
    parts = {"semantic": [*seen, *motion], "visual": [*looks, *seen], "motion": motion}[likeness]
    said = "; ".join(list(dict.fromkeys(parts))[:3])
    if not said:
        said = {
            "semantic": "phrases that fit one fit the other, though nothing was named in both",
            "visual": "layout and texture of the frames agree, though no colour or thing stands out in both",
            "motion": "camera and picture move by similar amounts",
        }[likeness]
    return said[0].upper() + said[1:]


def _content(one: _Traits, two: _Traits) -> Iterator[str]:
    things = sorted(one.things & two.things)[:_MOST_NAMES]
    if things:
        yield f"both show {_listed([_with_article(thing) for thing in things])}"
    pictures = sorted((one.pictures & two.pictures) - set(things))[:_MOST_NAMES]
    if pictures:
        yield f"both look like {_listed(pictures)}"
    if one.framing and one.framing == two.framing:
        yield f"both are {one.framing}"
    words = sorted(one.words & two.words)[:2]
    if words:
        yield f"both show the text {_listed([repr(text) for text in words])}"


def _looks(one: _Traits, two: _Traits) -> Iterator[str]:
    colours = sorted(one.colours & two.colours)[:_MOST_NAMES]
    if colours:
        yield f"both are largely {_listed(colours)}"
    if one.light and one.light == two.light:
        yield f"both are {one.light}"


def _motion(one: _Traits, two: _Traits) -> Iterator[str]:
    if one.camera == two.camera:
        yield "the camera is still in both" if one.camera == "still" else f"in both the camera {one.camera}"
    if one.moving and one.moving == two.moving:
        yield one.moving


def _traits(grid: Grid, span: TimeRange) -> _Traits:
    start, end = np.array([span.start_time]), np.array([span.end_time])
    sure = grid.named.mean(start, end)[0]
    named = {name for name, value in zip(grid.names, sure, strict=True) if value >= _THERE}
    kinds = {category.name for category in categories().values()}
    light = grid.light.mean(start, end)[0]
    dx, dy, zoom, _, activity = grid.motion.mean(start, end)[0]
    return _Traits(
        things=frozenset(named & kinds),
        pictures=frozenset(named - kinds),
        framing=_framing(grid, span),
        colours=_colours(grid, span),
        light="dark" if light[0] < _DARK else "bright" if light[0] > _BRIGHT else None,
        camera=_camera(float(dx), float(dy), float(zoom)),
        moving=_moving(float(activity)),
        words=frozenset(
            line.text
            for row in grid.material.texts
            if _touches(row.start_time, row.end_time, span)
            for line in row.lines
        ),
    )


def _framing(grid: Grid, span: TimeRange) -> str | None:
    rows = [row for row in grid.material.objects if _touches(row.start_time, row.end_time, span)]
    largest = [
        max((o.bbox[2] * o.bbox[3] for o in row.objects if o.confidence >= _SURE), default=0.0)
        for row in rows
    ]
    if not largest or not any(largest):
        return None
    area = float(np.median(largest))
    return "close-ups" if area >= _CLOSE else "wide views" if area < _FAR else None


def _colours(grid: Grid, span: TimeRange) -> frozenset[str]:
    rows = [row for row in grid.material.frames if _touches(row.start_time, row.end_time, span)]
    shares: dict[str, float] = {}
    for row in rows:
        for colour in row.colours:
            shares[colour.label] = shares.get(colour.label, 0.0) + colour.score / len(rows)
    return frozenset(name for name, share in shares.items() if share >= _MIN_COLOUR)


def _camera(dx: float, dy: float, zoom: float) -> str:
    moves: NDArray[np.float64] = np.array([abs(dx) / _PAN, abs(dy) / _PAN, abs(zoom) / _ZOOM])
    strongest = int(moves.argmax())
    if moves[strongest] < 1:
        return "still"
    words = (("pans right", "pans left"), ("tilts down", "tilts up"), ("zooms in", "zooms out"))[strongest]
    return words[0] if (dx, dy, zoom)[strongest] > 0 else words[1]


def _moving(activity: float) -> str | None:
    if activity >= _BUSY:
        return "much moves in both"
    return "hardly anything moves in either" if activity < _STILL else None


def _touches(start_s: float, end_s: float, span: TimeRange) -> bool:
    return start_s < span.end_time and end_s > span.start_time


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
