"""Activities: the action model's labels checked against the objects in view, and rules on objects alone."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from vidence.index.activity.evidence import FrameEvidence, is_checked, trust_in
from vidence.index.activity.families import family_events
from vidence.index.activity.spans import Activity, ScoredSpan, join_spans
from vidence.language.actions import action_families
from vidence.language.tables import read_table
from vidence.schema.observations import ActionsSeen
from vidence.schema.perception import Box
from vidence.schema.time import TimeRange

__all__ = ["EVENTS_ID", "Activity", "ScoredSpan", "action_events", "join_spans", "rule_events", "snake_case"]

EVENTS_ID = "event-rules@4"

_MIN_CLIP = 0.12
_MIN_EVENT, _MIN_CHECKED = 0.45, 0.35
"""Least confidence in an action, and in one whose things are seen: below it hardly any was right."""
_LONE_CLIP = 0.8
"""Weight of an action that only one clip shows."""
_NEAR = 0.15
_MIN_SHARE = 0.4
_MIN_RUN_S = 1.9
_STEADY = 4
_MOST_CLIPS, _CLEAR, _STEADY_CLIPS = 0.6, 0.6, 3


def action_events(
    clips: Sequence[ActionsSeen],
    frames: Sequence[FrameEvidence],
    *,
    is_still: Callable[[float, float], bool] = lambda start_s, end_s: False,
) -> list[Activity]:
    """Return the model's actions that clips repeat and the objects in view do not contradict.

    Where none of a family's actions is believed but all of them together are, the family is told.

    Args:
        is_still: whether nothing at all moves between two times.
    """
    clips = [clip for clip in clips if _may_act(clip, frames, is_still)]
    spans: dict[str, list[ScoredSpan]] = defaultdict(list)
    steady = _steady(clips)
    for clip in clips:
        near = _around(frames, clip)
        for action in clip.actions:
            score = action.score * trust_in(action.label, near, is_steady=action.label in steady)
            if score >= _MIN_CLIP:
                spans[action.label].append(ScoredSpan(clip.start_time, clip.end_time, score))
    gap_s = _usual_gap(clips)
    believed: list[Activity] = []
    for label, run in spans.items():
        for one in join_spans(snake_case(label), run, gap_s=gap_s):
            inside = [clip for clip in clips if one.start_s <= clip.start_time < one.end_s]
            agreeing = [each for each in run if one.start_s <= each.start_s < one.end_s]
            event = _weighed(one, len(agreeing), len(inside))
            near = [frame for clip in inside for frame in _around(frames, clip)]
            if event.confidence >= (_MIN_CHECKED if is_checked(label, near) else _MIN_EVENT):
                believed.append(event)
    return believed + [
        family for family in family_events(clips, frames, gap_s=gap_s) if not _is_told(family, believed)
    ]


def _is_told(family: Activity, believed: Sequence[Activity]) -> bool:
    """Tell whether an action of a family is believed at its time: that says more than the family."""
    members = next(one.labels for one in action_families() if one.name == family.label)
    names = {snake_case(label) for label in members}
    return any(one.label in names and one.meets(family) for one in believed)


def _steady(clips: Sequence[ActionsSeen]) -> set[str]:
    """Return the actions that lead in most clips, in three at least, and clearly in one.

    A wrong name rarely comes three times: what the model makes up changes from clip to clip.
    """
    leads: dict[str, list[float]] = defaultdict(list)
    for clip in clips:
        if clip.actions:
            best = max(clip.actions, key=lambda one: one.score)
            leads[best.label].append(best.score)
    return {
        label
        for label, scores in leads.items()
        if len(scores) >= max(_STEADY_CLIPS, _MOST_CLIPS * len(clips)) and max(scores) >= _CLEAR
    }


def rule_events(
    frames: Sequence[FrameEvidence],
    *,
    span: TimeRange,
    speech: Callable[[float], bool] = lambda time_s: False,
) -> list[Activity]:
    """Return the events that rules find from objects seen together in the frames of the span.

    Args:
        speech: whether someone speaks at a time.
    """
    if not frames:
        return []
    step_s = span.duration_s / len(frames)
    found = []
    for label in dict.fromkeys(rule.label for rule in _rules()):
        rules = [rule for rule in _rules() if rule.label == label]
        held = {
            frame.time_s: max(sure)
            for frame in frames
            if (sure := [rule.confidence for rule in rules if _holds(rule, frame, speech)])
        }
        spans = [ScoredSpan(time_s - step_s / 2, time_s + step_s / 2, sure) for time_s, sure in held.items()]
        for one in join_spans(label, spans, gap_s=step_s * 1.5):
            inside = [frame.time_s in held for frame in frames if one.start_s < frame.time_s < one.end_s]
            if _lasts(sum(inside), len(frames), step_s):
                steadiness = _steadiness(sum(inside), len(inside), len(frames))
                found.append(Activity(label, one.confidence * steadiness, one.start_s, one.end_s))
    return _without_weaker(found)


def _lasts(held: int, frames: int, step_s: float) -> bool:
    """Tell whether a rule holds in much of the span, or long enough in a long one."""
    return held >= max(1.0, _MIN_SHARE * frames) or (held >= 2 and held * step_s >= _MIN_RUN_S)


def _steadiness(held: int, inside: int, frames: int) -> float:
    """Return how steadily a rule holds, as a factor of its confidence; few frames lower it."""
    return 0.6 + 0.4 * held / inside * min(1.0, held / min(_STEADY, frames))


def _may_act(
    clip: ActionsSeen, frames: Sequence[FrameEvidence], is_still: Callable[[float, float], bool]
) -> bool:
    """Tell whether a clip can show an action: a person is there, or something moves."""
    someone = any(frame.boxes("person") for frame in _around(frames, clip))
    return someone or not is_still(clip.start_time, clip.end_time)


def snake_case(label: str) -> str:
    """Return an action's name as a label: `tying knot (not on a tie)` is `tying_knot`."""
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


def _holds(rule: _Rule, frame: FrameEvidence, speech: Callable[[float], bool]) -> bool:
    boxes = {name: frame.boxes(name) for name in rule.needs}
    if any(len(boxes[name]) < count for name, count in rule.needs.items()):
        return False
    if rule.signs and not (rule.signs & frame.things or ("speech" in rule.signs and speech(frame.time_s))):
        return False
    others = [name for name in rule.needs if name != "person"]
    return not rule.touching or all(_meet(boxes["person"], boxes[name]) for name in others)


def _meet(people: Sequence[Box], things: Sequence[Box]) -> bool:
    return any(_touch(person, thing) for person in people for thing in things)


def _touch(person: Box, thing: Box) -> bool:
    shared = person.overlap(thing)
    return shared > _NEAR * min(person.area, thing.area)


def _around(frames: Sequence[FrameEvidence], clip: ActionsSeen) -> list[FrameEvidence]:
    """Return the frames of the clip, or the nearest one when it has none."""
    inside = [frame for frame in frames if clip.start_time - 1 <= frame.time_s <= clip.end_time + 1]
    middle = (clip.start_time + clip.end_time) / 2
    return inside or sorted(frames, key=lambda frame: abs(frame.time_s - middle))[:1]


def _usual_gap(clips: Sequence[ActionsSeen]) -> float:
    gaps = [later.start_time - earlier.end_time for earlier, later in pairwise(clips)]
    return max([0.5, *(gap * 1.05 for gap in gaps)])


def _weighed(activity: Activity, agreeing: int, clips: int) -> Activity:
    """Lower the confidence of an action that only some of the clips of its time show."""
    share = agreeing / max(clips, 1)
    weight = share * (1.0 if agreeing > 1 else _LONE_CLIP)
    return Activity(activity.label, activity.confidence * weight, activity.start_s, activity.end_s)


def _without_weaker(found: Sequence[Activity]) -> list[Activity]:
    """Drop an event that is part of another one found: talking is part of a conversation."""
    broader = {"talking": "having_a_conversation"}
    labels = {one.label for one in found}
    return [one for one in found if broader.get(one.label) not in labels]
