"""When something comes, goes, is away or takes a posture, from the objects detected over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from vidence.embedded.recipes.locate import Located, LocateSteps, event_query
from vidence.embedded.recipes.objects import (
    Change,
    DetectSteps,
    Slots,
    TimedDetections,
    centre_of,
    changes_of,
    detect_at,
    shown,
    slots_of,
    spread,
    stretches,
    sure_of,
    taken,
)
from vidence.embedded.recipes.recipe import Inquiry, call, claim, has_cue, hits_of
from vidence.embedded.recipes.wording import counted, in_picture, seconds
from vidence.language.question import Target
from vidence.language.question.ordinals import find_ordinal
from vidence.ops.detect_objects import DetectedObject

__all__ = ["away", "changed", "place_of", "posed", "watched"]

_STEP_S = 1.0
_LEAST, _MOST = 12, 40
_LONG_S = 75.0
_BESIDE_S = 4.0
_FINE = 5
_TALLER = 1.15
"""A standing person is at least this much taller in the picture than a sitting one."""


def watched(inquiry: Inquiry, target: Target, span: tuple[float, float] | None = None) -> DetectSteps:
    """Detect a thing over the whole video; in a long one only around the hits of a search."""
    start, end = span or (0.0, inquiry.duration_s)
    if span is None and inquiry.duration_s > _LONG_S:
        (searched,) = yield [call("temporal_search", inquiry, query=target.head, top_k=6, modality="visual")]
        hits = [hit for hit in hits_of(searched) if hit.confidence >= 0.5]
        if hits:
            start = max(0.0, min(hit.start_time for hit in hits) - _BESIDE_S)
            end = min(inquiry.duration_s, max(hit.end_time for hit in hits) + _BESIDE_S)
    count = min(_MOST, max(_LEAST, int((end - start) / _STEP_S) + 1))
    times = spread(start, end, count, inquiry.duration_s)
    return (yield from detect_at(inquiry, times, target.category or target))


def changed(inquiry: Inquiry, text: str, target: Target) -> LocateSteps:
    """Find when the subject of a text comes or goes."""
    event = event_query(text)
    looks = yield from watched(inquiry, target)
    slots = slots_of(looks)
    sign = 1 if event.change == "appear" else -1
    number = event.count or target.number or 1
    found = [one for one in _merged(changes_of(looks, slots), number) if one.delta * sign > 0]
    found = _placed(found, target, slots)
    fitting = [one for one in found if abs(one.delta) >= number]
    was_there = bool(sign > 0 and looks and looks[0].count)
    if was_there and event.order != "last" and not fitting:
        start = looks[0].time_s
        return Located(start, start, start, 0.4, shown(looks[:1], target, inquiry.language))
    chosen = _meant_time(inquiry, text, fitting, before=was_there) if fitting else None
    if chosen is None:
        return None
    fine = yield from detect_at(inquiry, _between(chosen, inquiry.duration_s), target.category or target)
    narrowed = _narrowed(chosen, fine, slots)
    ends = (narrowed.before, narrowed.after)
    chance = 0.55 + 0.35 * sure_of(ends) - 0.1 * (len(fitting) - 1)
    claims = shown(ends, target, inquiry.language)
    chance = min(max(0.35, chance), 0.9)
    return Located(narrowed.time_s, ends[0].time_s, ends[1].time_s, chance, claims)


def _meant_time(inquiry: Inquiry, text: str, found: Sequence[Change], *, before: bool) -> Change | None:
    """Return the change a text means: the first, the last, the second …; None when there are too few.

    Args:
        before: whether the thing was there from the start, which counts as its first time.
    """
    ordinal = find_ordinal(text)
    if ordinal is not None and ordinal.unit == "time":
        place = ordinal.of(len(found) + before)
        return None if place is None or place < before else found[place - before]
    last = event_query(text).order == "last" or inquiry.form.anchor("last") is not None
    return found[-1] if last else found[0]


def away(inquiry: Inquiry, target: Target) -> LocateSteps:
    """Find when a thing is out of the picture."""
    looks = yield from watched(inquiry, target)
    runs = stretches(looks, there=False)
    if not runs or not any(one.count for one in looks):
        return None
    longest = max(runs, key=lambda run: (run[-1].time_s - run[0].time_s, len(run)))
    first, last = looks.index(longest[0]), looks.index(longest[-1])
    start = looks[max(0, first - 1)].time_s
    end = looks[min(len(looks) - 1, last + 1)].time_s
    times = spread(start, end, 2 * _FINE + 1, inquiry.duration_s)
    fine = yield from detect_at(inquiry, times, target.category or target, threshold=0.25)
    gone = stretches(fine, there=False)
    chosen = max(gone, key=len, default=longest)
    middle = chosen[len(chosen) // 2]
    told = in_picture(0, target, middle.time_s, inquiry.language)
    chance = 0.8 if len(chosen) >= 3 else 0.6
    return Located(middle.time_s, chosen[0].time_s, chosen[-1].time_s, chance, claim(told, middle.record))


def posed(
    inquiry: Inquiry, text: str, target: Target, posture: str, span: tuple[float, float] | None
) -> LocateSteps:
    """Find when the number of people asked for stand, sit, lie or bend."""
    looks = yield from watched(inquiry, target, span)
    number = target.number or event_query(text).count or 1
    usual = _sitting_height(looks, target)
    fits = [sum(_poses(thing, posture, usual) for thing in _meant(one, target)) >= number for one in looks]
    runs = [
        [one for one, _ in run]
        for fit, run in groupby(zip(looks, fits, strict=True), key=lambda p: p[1])
        if fit
    ]
    if not runs:
        return None
    rises = has_cue("rises", text)
    ordinal = find_ordinal(text)
    place = ordinal.of(len(runs)) if ordinal is not None and ordinal.unit == "time" else 0
    if place is None:
        return None
    chosen = runs[place] if rises or place else max(runs, key=len)
    middle = chosen[0] if rises else chosen[len(chosen) // 2]
    things = counted(middle.count, target, inquiry.language)
    told = inquiry.say("things_seen_at", things, at=seconds(middle.time_s, inquiry.language))
    chance = 0.35 + 0.1 * min(3, len(chosen))
    return Located(middle.time_s, chosen[0].time_s, chosen[-1].time_s, chance, claim(told, middle.record))


def place_of(index: int, places: int) -> str:
    """Return the name of a place among others, from left to right."""
    if index == 0:
        return "left"
    if index == places - 1:
        return "right"
    return "middle"


def _meant(one: TimedDetections, target: Target) -> Sequence[DetectedObject]:
    """Return all people, or the one on the side the question names."""
    ordered = sorted(one.objects, key=lambda thing: centre_of(thing)[0])
    if target.position == "left":
        return ordered[:1]
    return ordered[-1:] if target.position == "right" else ordered


def _sitting_height(looks: Sequence[TimedDetections], target: Target) -> float:
    """Return the height of the people when sitting, taken as the lower third of all heights."""
    seen = sorted(thing.bbox[3] for one in looks for thing in _meant(one, target))
    return seen[len(seen) // 3] if seen else 1.0


def _poses(thing: DetectedObject, posture: str, usual: float) -> bool:
    tall, told = thing.bbox[3] >= _TALLER * usual, thing.attributes.get("posture")
    if posture == "standing":
        return tall or told == "standing"
    if posture == "sitting":
        return not tall and told != "standing"
    return told == posture


def _merged(found: Sequence[Change], number: int) -> list[Change]:
    """Join consecutive changes of the same sign when several objects are asked for."""
    kept: list[Change] = []
    for one in found:
        last = kept[-1] if kept else None
        joins = last is not None and last.after.time_s == one.before.time_s and last.delta * one.delta > 0
        if number > 1 and joins and last is not None and abs(last.delta) < number:
            kept[-1] = Change(last.before, one.after, last.delta + one.delta, (*last.slots, *one.slots))
        else:
            kept.append(one)
    return kept


def _placed(found: Sequence[Change], target: Target, slots: Slots | None) -> list[Change]:
    """Keep the changes at the place the question names, as in "the right bottle"."""
    if target.position is None or slots is None:
        return list(found)
    places = len(slots.centres)
    named = [one for one in found if any(place_of(i, places) in target.position for i in one.slots)]
    alone = [one for one in named if len(one.slots) == 1]
    return alone or named or list(found)


def _between(change: Change, duration_s: float) -> list[float]:
    inner = spread(change.before.time_s, change.after.time_s, _FINE + 2, duration_s)[1:-1]
    return [time_s for time_s in inner if change.before.time_s < time_s < change.after.time_s]


def _narrowed(change: Change, fine: Sequence[TimedDetections], slots: Slots | None) -> Change:
    """Return the change with its times narrowed by finer detections."""
    before = change.before
    for one in fine:
        if _is_after(one, change, slots):
            return replace(change, before=before, after=one)
        before = one
    return replace(change, before=before)


def _is_after(one: TimedDetections, change: Change, slots: Slots | None) -> bool:
    if slots is None or not change.slots:
        return abs(one.count - change.after.count) <= abs(one.count - change.before.count)
    places = taken(slots.centres, one)
    there = [places[place] for place in change.slots]
    return all(there) if change.delta > 0 else not any(there)
