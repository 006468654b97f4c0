"""What goes on: the action model's word weighed against what else is seen, and what that tells by itself."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from vidence.index.activity.evidence import Glance, believe
from vidence.index.activity.spans import Activity, Moment, join_moments
from vidence.language.tables import read_table
from vidence.schema.observations import ActionsSeen
from vidence.schema.perception import Box
from vidence.schema.time import TimeRange

__all__ = ["EVENTS_ID", "action_events", "rule_events", "snake_case"]

EVENTS_ID = "event-rules@2"

_MIN_CLIP = 0.12
_MIN_EVENT = 0.25
_LONE_CLIP = 0.8
"""What a single clip is worth beside several that agree."""
_NEAR = 0.15
_MIN_SHARE = 0.4
_MIN_RUN_S = 1.9
_STEADY = 4


def action_events(
    clips: Sequence[ActionsSeen],
    glances: Sequence[Glance],
    *,
    is_still: Callable[[float, float], bool] = lambda start_s, end_s: False,
) -> list[Activity]:
    """Return the model's actions that hold up: repeated over clips and not against what else is seen.

    Args:
        is_still: whether nothing at all moves between two times.
    """
    clips = [clip for clip in clips if _may_act(clip, glances, is_still)]
    moments: dict[str, list[Moment]] = defaultdict(list)
    for clip in clips:
        near = _around(glances, clip)
        for action in clip.actions:
            score = action.score * believe(action.label, near)
            if score >= _MIN_CLIP:
                moments[action.label].append(Moment(clip.start_time, clip.end_time, score))
    gap_s = _usual_gap(clips)
    found = []
    for label, run in moments.items():
        for one in join_moments(snake_case(label), run, gap_s=gap_s):
            inside = [clip for clip in clips if one.start_s <= clip.start_time < one.end_s]
            agreeing = [moment for moment in run if one.start_s <= moment.start_s < one.end_s]
            found.append(_weighed(one, len(agreeing), len(inside)))
    return [one for one in found if one.confidence >= _MIN_EVENT]


def rule_events(
    glances: Sequence[Glance], *, span: TimeRange, speech: Callable[[float], bool] = lambda time_s: False
) -> list[Activity]:
    """Return the events told from what is together in the frames of the span.

    Args:
        speech: whether someone speaks at a time.
    """
    if not glances:
        return []
    step_s = span.duration_s / len(glances)
    found = []
    for label in dict.fromkeys(rule.label for rule in _rules()):
        rules = [rule for rule in _rules() if rule.label == label]
        held = {
            glance.time_s: max(sure)
            for glance in glances
            if (sure := [rule.confidence for rule in rules if _holds(rule, glance, speech)])
        }
        moments = [Moment(time_s - step_s / 2, time_s + step_s / 2, sure) for time_s, sure in held.items()]
        for one in join_moments(label, moments, gap_s=step_s * 1.5):
            inside = [glance.time_s in held for glance in glances if one.start_s < glance.time_s < one.end_s]
            if _lasts(sum(inside), len(glances), step_s):
                steadiness = _steadiness(sum(inside), len(inside), len(glances))
                found.append(Activity(label, one.confidence * steadiness, one.start_s, one.end_s))
    return _without_weaker(found)


def _lasts(held: int, glances: int, step_s: float) -> bool:
    """Say whether something holds in much of the stretch, or long enough by itself in a long one."""
    return held >= max(1.0, _MIN_SHARE * glances) or (held >= 2 and held * step_s >= _MIN_RUN_S)


def _steadiness(held: int, inside: int, glances: int) -> float:
    """Return how steadily something holds while it does; what few frames show is less sure."""
    return 0.6 + 0.4 * held / inside * min(1.0, held / min(_STEADY, glances))


def _may_act(clip: ActionsSeen, glances: Sequence[Glance], is_still: Callable[[float, float], bool]) -> bool:
    """Say whether anything can be done in a clip: someone is there, or something moves."""
    someone = any(glance.boxes("person") for glance in _around(glances, clip))
    return someone or not is_still(clip.start_time, clip.end_time)


def snake_case(label: str) -> str:
    """Write an action's name as a label: `tying knot (not on a tie)` is `tying_knot`."""
    plain = re.sub(r"\([^)]*\)", "", label)
    return re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")


@dataclass(frozen=True)
class _Rule:
    label: str
    needs: Mapping[str, int]
    touching: bool
    signs: frozenset[str]
    confidence: float


@lru_cache(maxsize=1)
def _rules() -> tuple[_Rule, ...]:
    return tuple(
        _Rule(
            label,
            dict(_needs(needs)),
            placed == "touching",
            frozenset(filter(None, signs.split(","))),
            float(sure),
        )
        for label, needs, placed, signs, sure in read_table("events.tsv")
    )


def _needs(text: str) -> Iterator[tuple[str, int]]:
    for item in text.split(","):
        name, _, count = item.partition("*")
        yield name, int(count or 1)


def _holds(rule: _Rule, glance: Glance, speech: Callable[[float], bool]) -> bool:
    boxes = {name: glance.boxes(name) for name in rule.needs}
    if any(len(boxes[name]) < count for name, count in rule.needs.items()):
        return False
    if rule.signs and not (rule.signs & glance.things or ("speech" in rule.signs and speech(glance.time_s))):
        return False
    others = [name for name in rule.needs if name != "person"]
    return not rule.touching or all(_meet(boxes["person"], boxes[name]) for name in others)


def _meet(people: Sequence[Box], things: Sequence[Box]) -> bool:
    return any(_touch(person, thing) for person in people for thing in things)


def _touch(person: Box, thing: Box) -> bool:
    shared = person.overlap(thing)
    return shared > _NEAR * min(person.area, thing.area)


def _around(glances: Sequence[Glance], clip: ActionsSeen) -> list[Glance]:
    """Return the frames of the clip, or the nearest one when none falls into it."""
    inside = [glance for glance in glances if clip.start_time - 1 <= glance.time_s <= clip.end_time + 1]
    middle = (clip.start_time + clip.end_time) / 2
    return inside or sorted(glances, key=lambda glance: abs(glance.time_s - middle))[:1]


def _usual_gap(clips: Sequence[ActionsSeen]) -> float:
    gaps = [later.start_time - earlier.end_time for earlier, later in pairwise(clips)]
    return max([0.5, *(gap * 1.05 for gap in gaps)])


def _weighed(activity: Activity, agreeing: int, clips: int) -> Activity:
    """Weaken what only some of the clips of its time say."""
    share = agreeing / max(clips, 1)
    weight = share * (1.0 if agreeing > 1 else _LONE_CLIP)
    return Activity(activity.label, activity.confidence * weight, activity.start_s, activity.end_s)


def _without_weaker(found: Sequence[Activity]) -> list[Activity]:
    """Talking is part of having a conversation."""
    broader = {"talking": "having_a_conversation"}
    labels = {one.label for one in found}
    return [one for one in found if broader.get(one.label) not in labels]
