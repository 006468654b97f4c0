"""Evidence from changes: objects that appear and disappear, their number, cuts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from vidence.language.question import SearchQuery
from vidence.queries.search.material import Hit, Material
from vidence.queries.search.seen import attribute_fit

__all__ = ["changes_seen"]

_MIN_OBJECT = 0.35
_STEADY, _FLICKER = 0.85, 0.45
_OTHER_NUMBER = 0.6
_CUT_S = 0.15
_DARK = 0.06


def changes_seen(query: SearchQuery, material: Material) -> Iterator[Hit]:
    """Find where the queried objects appear, disappear, are absent, or are most or fewest; and cuts."""
    if "cut" in query.cues:
        yield from _cuts(query, material)
    if query.things.head is None or not (query.change or query.extreme):
        return
    counts = [
        sum(
            attribute_fit(query.things, one, row.objects) >= 0.5
            for one in row.objects
            if one.confidence >= _MIN_OBJECT
        )
        for row in material.objects
    ]
    if not any(counts):
        return
    if query.extreme:
        yield from _extremes(query, material, counts)
    elif query.change == "absent":
        yield from _absences(material, counts)
    else:
        yield from _steps(query, material, counts)


def _steps(query: SearchQuery, material: Material, counts: list[int]) -> Iterator[Hit]:
    sign = 1 if query.change == "appear" else -1
    rows = material.objects
    if sign > 0 and counts[0]:
        yield Hit(rows[0].start_time, rows[0].start_time + 1.0, _FLICKER, "change")
    step_s = min((later.start_time - earlier.start_time for earlier, later in pairwise(rows)), default=1.0)
    for index in range(1, len(rows)):
        moved = (counts[index] - counts[index - 1]) * sign
        if moved <= 0:
            continue
        before = counts[max(0, index - 3) : index]
        after = counts[index : index + 3]
        steady = (min(after) > max(before)) if sign > 0 else (max(after) < min(before))
        score = (_STEADY if steady else _FLICKER) * (_OTHER_NUMBER if moved < (query.count or 1) else 1.0)
        start, end = rows[index].start_time - step_s, rows[index].start_time
        shot = material.shot_at(end)
        if shot.start_time > start:
            start, end = shot.start_time, min(end + step_s / 2, shot.end_time)
        yield Hit(max(0.0, start), end, score, "change")


def _absences(material: Material, counts: list[int]) -> Iterator[Hit]:
    for span, count in zip(material.place(material.objects), counts, strict=True):
        if not count:
            yield Hit(span.start_s, span.end_s, _STEADY, "change")


def _extremes(query: SearchQuery, material: Material, counts: list[int]) -> Iterator[Hit]:
    present = [count for count in counts if count]
    wanted = max(present) if query.extreme == "most" else min(present)
    for span, count in zip(material.place(material.objects), counts, strict=True):
        if count == wanted:
            yield Hit(span.start_s, span.end_s, _STEADY, "change")


def _cuts(query: SearchQuery, material: Material) -> Iterator[Hit]:
    to_dark = "black" in query.stems or "黑" in query.text
    for shot in material.shots[1:]:
        dark = any(
            frame.brightness < _DARK
            for frame in material.frames
            if shot.start_time <= frame.start_time < shot.end_time
        )
        score = _STEADY if not to_dark or dark else _FLICKER
        yield Hit(max(0.0, shot.start_time - _CUT_S), shot.start_time + _CUT_S, score, "change")
