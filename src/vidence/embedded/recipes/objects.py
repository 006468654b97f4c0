"""Objects detected over time: how many there are, which one a question means, when their number changes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import fmean, pstdev
from typing import Literal

from vidence.embedded.recipes.recipe import Inquiry, StepsOf, call, claim, has_cue, read
from vidence.embedded.recipes.wording import in_picture
from vidence.language.question import QuestionForm, Target
from vidence.language.question.naming import position_of
from vidence.ops.detect_objects import DetectedObject, DetectObjectsResult
from vidence.schema.agent import AnswerLanguage
from vidence.schema.evidence import Claim, EvidenceRecord
from vidence.schema.perception import Box

__all__ = [
    "Change",
    "DetectSteps",
    "Region",
    "Slots",
    "TimedDetections",
    "centre_of",
    "changes_of",
    "detect_at",
    "looks_of",
    "pointed_at",
    "position_in",
    "region_of",
    "shown",
    "slots_of",
    "spread",
    "stretches",
    "sure_of",
    "taken",
]

COUNTED = 0.5
"""The least confidence of a detection that is counted."""
_LAST_S = 0.12
"""The last frame of a video begins this long before its end, at common rates."""
_STILL = 0.07
"""Objects that move less than this share of the picture's width stand still."""
_TOWARDS = re.compile(
    r"\b(?:to|towards?|from) the (?:left|right)\b|向[左右]|朝[左右]|从[左右]", re.IGNORECASE
)
Region = Literal["upper", "lower", "top", "hair", "feet", "other"]
_WORN: tuple[Region, ...] = ("lower", "feet", "hair", "upper")


@dataclass(frozen=True)
class TimedDetections:
    """The objects detected at one time."""

    time_s: float
    record: EvidenceRecord
    objects: tuple[DetectedObject, ...]

    @property
    def count(self) -> int:
        return len(self.objects)


DetectSteps = StepsOf[list[TimedDetections]]


@dataclass(frozen=True)
class Slots:
    """Fixed places of objects from left to right, and which of them are taken at each time."""

    centres: tuple[float, ...]
    present: tuple[tuple[bool, ...], ...]
    """One row per time, one entry per place."""


@dataclass(frozen=True)
class Change:
    """Objects came or went between two times."""

    before: TimedDetections
    after: TimedDetections
    delta: int
    """How many more there are afterwards; negative when objects went."""
    slots: tuple[int, ...] = ()
    """The places that changed."""

    @property
    def time_s(self) -> float:
        return (self.before.time_s + self.after.time_s) / 2


def spread(start_s: float, end_s: float, count: int, duration_s: float) -> list[float]:
    """Return times spread evenly from the start to the end, both included."""
    last = max(0.0, min(end_s, duration_s - _LAST_S))
    first = max(0.0, min(start_s, last))
    if count <= 1 or last - first < 0.05:
        return [round(first, 2)]
    step = (last - first) / (count - 1)
    return [round(first + step * index, 2) for index in range(count)]


def detect_at(
    inquiry: Inquiry, times: Iterable[float], target: Target | str, *, threshold: float = COUNTED
) -> DetectSteps:
    """Detect a thing, or the things of a category, at several times; failed calls are left out."""
    asked = {"category": target} if isinstance(target, str) else _query_of(target)
    records = yield [
        call("detect_objects", inquiry, timestamp=time_s, confidence_threshold=threshold, **asked)
        for time_s in dict.fromkeys(times)
    ]
    return looks_of(records)


def looks_of(records: Iterable[EvidenceRecord | None]) -> list[TimedDetections]:
    """Return what was detected, without the calls that failed."""
    return [
        TimedDetections(found.timestamp, record, tuple(found.objects))
        for record in records
        if record is not None and (found := read(record, DetectObjectsResult)) is not None
    ]


def _query_of(target: Target) -> dict[str, str]:
    """Return the query: the category where it says everything, else the whole phrase."""
    if target.category is not None and not target.colours and target.phrase == target.text:
        return {"category": target.category}
    return {"query": target.phrase or target.text}


def slots_of(looks: Sequence[TimedDetections]) -> Slots | None:
    """Return the fixed places of objects that stand still; None when they move."""
    tally = Counter(one.count for one in looks if one.count)
    often = [count for count, seen in tally.items() if seen >= max(2, 0.1 * len(looks))]
    if not often:
        return None
    most = max(often)
    rows = [sorted(centre_of(thing)[0] for thing in one.objects) for one in looks if one.count == most]
    columns = list(zip(*rows, strict=True))
    if any(len(column) > 1 and pstdev(column) > _STILL for column in columns):
        return None
    centres = tuple(fmean(column) for column in columns)
    return Slots(centres, tuple(tuple(taken(centres, one)) for one in looks))


def taken(centres: Sequence[float], one: TimedDetections) -> list[bool]:
    """Return which of the fixed places have an object at a time."""
    reach = min((after - before for before, after in pairwise(centres)), default=0.5) / 2
    return [any(abs(centre_of(thing)[0] - centre) <= reach for thing in one.objects) for centre in centres]


def changes_of(looks: Sequence[TimedDetections], slots: Slots | None) -> list[Change]:
    """Return the changes of number that still hold at the next time."""
    found = []
    for index, (before, after) in enumerate(pairwise(looks)):
        if slots is not None:
            moved = _moved(slots, index)
            for sign in (-1, 1):
                places = tuple(place for place, step in moved.items() if step == sign)
                if places:
                    found.append(Change(before, after, sign * len(places), places))
        elif before.count != after.count:
            sign = 1 if after.count > before.count else -1
            if index + 2 >= len(looks) or sign * (looks[index + 2].count - after.count) >= 0:
                found.append(Change(before, after, after.count - before.count))
    return found


def _moved(slots: Slots, index: int) -> dict[int, int]:
    """Return the places that changed between a time and the next, and stayed changed."""
    before, after = slots.present[index], slots.present[index + 1]
    later = slots.present[index + 2] if index + 2 < len(slots.present) else after
    earlier = slots.present[index - 1] if index else before
    return {
        place: int(after[place]) - int(before[place])
        for place in range(len(slots.centres))
        if before[place] != after[place] and later[place] == after[place] and earlier[place] == before[place]
    }


def stretches(looks: Sequence[TimedDetections], *, there: bool) -> list[list[TimedDetections]]:
    """Return the runs of consecutive times with the thing in the picture, or without it."""
    return [list(run) for seen, run in groupby(looks, key=lambda one: one.count > 0) if seen == there]


def shown(looks: Iterable[TimedDetections], thing: Target, language: AnswerLanguage) -> tuple[Claim, ...]:
    """Return a claim per time: how many are in the picture."""
    return tuple(
        part
        for one in looks
        for part in claim(in_picture(one.count, thing, one.time_s, language), one.record)
    )


def sure_of(looks: Sequence[TimedDetections]) -> float:
    """Return the mean confidence of the detections."""
    seen = [thing.confidence for one in looks for thing in one.objects]
    return fmean(seen) if seen else 0.7


def position_in(form: QuestionForm) -> str | None:
    """Return the position in the picture that the question names; None when it names none."""
    if form.targets and form.targets[0].position:
        return form.targets[0].position
    text = _TOWARDS.sub(" ", form.text.lower())
    # "Right at the start" and "has left" are no positions.
    text = re.sub(r"\bright (?:at|after|before|now|away)\b|\b(?:has|have|had) left\b", " ", text)
    # A top is more often worn than a place, and a bottom seldom asked for.
    place = position_of(re.sub(r"\b(?:top|upper|bottom|lower)\b(?![ -](?:left|right))", " ", text))
    return place or ("foreground" if has_cue("nearest", text) else None)


def pointed_at(objects: Sequence[DetectedObject], position: str) -> DetectedObject | None:
    """Return the object nearest to a position."""
    worth = _DISTANCES.get(position)
    return min(objects, key=worth, default=None) if worth else (objects[0] if objects else None)


def centre_of(one: DetectedObject) -> tuple[float, float]:
    """Return the middle of an object, in shares of the picture's width and height."""
    return Box(*one.bbox).centre


_DISTANCES: dict[str, Callable[[DetectedObject], float]] = {
    "left": lambda one: centre_of(one)[0],
    "right": lambda one: -centre_of(one)[0],
    "top": lambda one: centre_of(one)[1],
    "bottom": lambda one: -centre_of(one)[1],
    "middle": lambda one: abs(centre_of(one)[0] - 0.5),
    "top left": lambda one: sum(centre_of(one)),
    "top right": lambda one: centre_of(one)[1] - centre_of(one)[0],
    "bottom left": lambda one: centre_of(one)[0] - centre_of(one)[1],
    "bottom right": lambda one: -sum(centre_of(one)),
    "foreground": lambda one: -(one.bbox[1] + one.bbox[3]),
    "background": lambda one: one.bbox[1] + one.bbox[3],
}


def region_of(words: str, *, worn: bool) -> Region:
    """Return the part of a person or a thing that the words name.

    Args:
        worn: whether a person wears it; a bottle's cap is on no head.
    """
    if not worn:
        return "top" if has_cue("region_top", words) else "other"
    return next((name for name in _WORN if has_cue(f"region_{name}", words)), "other")
