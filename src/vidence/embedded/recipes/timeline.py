"""Looking at one kind of thing over time: how many there are, where they stand, when that changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import fmean, pstdev

from vidence.embedded.recipes.cite import claim, read
from vidence.embedded.recipes.nouns import in_picture
from vidence.embedded.recipes.recipe import Answers, Inquiry, call
from vidence.language.question.form import Target
from vidence.ops.detect_objects import DetectedObject, DetectObjectsResult
from vidence.schema.agent import AnswerLanguage, OperationCall
from vidence.schema.evidence import Claim, EvidenceRecord

__all__ = [
    "Change",
    "Look",
    "Looking",
    "Slots",
    "changes_of",
    "look",
    "shown",
    "slots_of",
    "spread",
    "stretches",
    "sure_of",
]

COUNTED = 0.5
"""From this confidence on a detection counts as a thing."""
_LAST_S = 0.12
"""The last frame of a video begins this long before its end, at common rates."""
_STILL = 0.07
"""Things whose place varies less than this much of the picture's width are standing."""


@dataclass(frozen=True)
class Look:
    """What was seen at one time."""

    time_s: float
    record: EvidenceRecord
    objects: tuple[DetectedObject, ...]

    @property
    def count(self) -> int:
        return len(self.objects)


Looking = Generator[Sequence[OperationCall], Answers, list[Look]]


@dataclass(frozen=True)
class Slots:
    """Places along the picture at which things stand, from left to right, and who is there at each look."""

    centres: tuple[float, ...]
    present: tuple[tuple[bool, ...], ...]
    """One row per look, one entry per place."""


@dataclass(frozen=True)
class Change:
    """Something came or went between two looks."""

    before: Look
    after: Look
    delta: int
    """How many more there are afterwards; negative when things went."""
    slots: tuple[int, ...] = ()
    """The places that changed."""

    @property
    def time_s(self) -> float:
        return (self.before.time_s + self.after.time_s) / 2


def spread(start_s: float, end_s: float, count: int, duration_s: float) -> list[float]:
    """Return times spread evenly from the start to the end, both looked at."""
    last = max(0.0, min(end_s, duration_s - _LAST_S))
    first = max(0.0, min(start_s, last))
    if count <= 1 or last - first < 0.05:
        return [round(first, 2)]
    step = (last - first) / (count - 1)
    return [round(first + step * index, 2) for index in range(count)]


def look(
    inquiry: Inquiry, times: Sequence[float], target: Target | str, *, threshold: float = COUNTED
) -> Looking:
    """Look for a thing at several times; times that cannot be looked at are left out."""
    asked = {"category": target} if isinstance(target, str) else _asked(target)
    calls = [
        call("detect_objects", inquiry, timestamp=time_s, confidence_threshold=threshold, **asked)
        for time_s in dict.fromkeys(times)
    ]
    records = yield calls
    looks = []
    for record in records:
        found = read(record, DetectObjectsResult)
        if record is not None and found is not None:
            looks.append(Look(found.timestamp, record, tuple(found.objects)))
    return looks


def _asked(target: Target) -> dict[str, str]:
    """Ask by category where that says all, else by the whole phrase."""
    if target.category is not None and not target.colours and target.phrase == target.text:
        return {"category": target.category}
    return {"query": target.phrase or target.text}


def slots_of(looks: Sequence[Look]) -> Slots | None:
    """Return the standing places of things that do not wander; None when they do."""
    tally = Counter(one.count for one in looks if one.count)
    often = [count for count, seen in tally.items() if seen >= max(2, 0.1 * len(looks))]
    if not often:
        return None
    most = max(often)
    rows = [sorted(_x(thing) for thing in one.objects) for one in looks if one.count == most]
    columns = list(zip(*rows, strict=True))
    if any(len(column) > 1 and pstdev(column) > _STILL for column in columns):
        return None
    centres = tuple(fmean(column) for column in columns)
    reach = min((after - before for before, after in pairwise(centres)), default=0.5) / 2
    present = tuple(
        tuple(any(abs(_x(thing) - centre) <= reach for thing in one.objects) for centre in centres)
        for one in looks
    )
    return Slots(centres, present)


def changes_of(looks: Sequence[Look], slots: Slots | None) -> list[Change]:
    """Return where things came or went and stayed so at the next look too."""
    found = []
    for index, (before, after) in enumerate(pairwise(looks)):
        if slots is not None:
            moved = _moved(slots, index)
            for sign in (-1, 1):
                places = tuple(place for place, step in moved.items() if step == sign)
                if places:
                    found.append(Change(before, after, sign * len(places), places))
        elif before.count != after.count:
            held = index + 2 >= len(looks) or _side(looks[index + 2].count, before.count, after.count)
            if held:
                found.append(Change(before, after, after.count - before.count))
    return found


def _moved(slots: Slots, index: int) -> dict[int, int]:
    """Return which places changed between a look and the next, and lastingly."""
    before, after = slots.present[index], slots.present[index + 1]
    later = slots.present[index + 2] if index + 2 < len(slots.present) else after
    earlier = slots.present[index - 1] if index else before
    return {
        place: int(after[place]) - int(before[place])
        for place in range(len(slots.centres))
        if before[place] != after[place] and later[place] == after[place] and earlier[place] == before[place]
    }


def _side(later: int, before: int, after: int) -> bool:
    return later >= after if after > before else later <= after


def stretches(looks: Sequence[Look], *, there: bool) -> list[list[Look]]:
    """Return the looks in a row that show the thing, or that do not."""
    return [list(run) for seen, run in groupby(looks, key=lambda one: one.count > 0) if seen == there]


def shown(looks: Iterable[Look], thing: Target, language: AnswerLanguage) -> tuple[Claim, ...]:
    """Say of each look how many are in the picture."""
    return tuple(
        part
        for one in looks
        for part in claim(in_picture(one.count, thing, one.time_s, language), one.record)
    )


def sure_of(looks: Sequence[Look]) -> float:
    """Return how sure the detector was of what it saw, on average."""
    seen = [thing.confidence for one in looks for thing in one.objects]
    return fmean(seen) if seen else 0.7


def _x(thing: DetectedObject) -> float:
    return thing.bbox[0] + thing.bbox[2] / 2
