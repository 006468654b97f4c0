"""Telling events from clips, frames and rules, on evidence that is known."""

from __future__ import annotations

import pytest

from vidence.index.activity.event import ScoredSpan, action_events, join_spans, rule_events, snake_case
from vidence.index.activity.evidence import FrameEvidence, trust_in
from vidence.schema.observations import ActionsSeen, NamedScore
from vidence.schema.perception import Box, Detection
from vidence.schema.time import TimeRange

SPAN = TimeRange(start_time=0, end_time=4)


def _clip(start: float, **scores: float) -> ActionsSeen:
    actions = tuple(NamedScore(label=label.replace("_", " "), score=score) for label, score in scores.items())
    return ActionsSeen(start_time=start, end_time=start + 1.3, actions=actions)


def _glance(time_s: float, *names: str) -> FrameEvidence:
    return FrameEvidence(time_s, [Detection(name, 0.9, Box(0.2, 0.1, 0.5, 0.8)) for name in names])


def test_a_talking_man_is_not_snapping_his_fingers() -> None:
    people = [_glance(1, "person"), _glance(3, "person")]
    assert action_events([_clip(0, finger_snapping=0.45), _clip(2, air_drumming=0.5)], people) == []
    assert action_events([_clip(0, finger_snapping=0.95)], people) == []


def test_an_action_needs_its_things() -> None:
    clips = [_clip(0, playing_basketball=0.7), _clip(2, playing_basketball=0.8)]
    assert action_events(clips, [_glance(1, "person")]) == []
    [event] = action_events(clips, [_glance(1, "person", "sports ball")])
    assert event.label == "playing_basketball"
    assert event.confidence > 0.5
    assert (event.start_s, event.end_s) == (0, 3.3)


def test_every_need_counts_and_a_person_is_one_of_them() -> None:
    assert trust_in("sled dog racing", [_glance(0, "person", "dog")]) < 0.1
    assert trust_in("training dog", [_glance(0, "person", "dog")]) > 0.8
    assert trust_in("training dog", [_glance(0, "dog")]) < 0.5


def test_clips_that_agree_are_believed_more() -> None:
    dogs = [_glance(1, "person", "dog")]
    [agreed] = action_events([_clip(0, training_dog=0.8), _clip(2, training_dog=0.8)], dogs)
    [lone] = action_events([_clip(0, training_dog=0.8)], dogs)
    assert agreed.confidence > lone.confidence


def test_events_follow_from_what_is_together() -> None:
    found = rule_events([_glance(1, "person", "dog"), _glance(3, "person", "dog")], span=SPAN)
    assert [one.label for one in found] == ["playing_with_dog"]
    assert rule_events([_glance(1, "dog")], span=SPAN) == []


def test_an_event_in_a_part_of_a_long_stretch_is_told_with_its_times() -> None:
    span = TimeRange(start_time=0, end_time=40)
    glances = [_glance(n + 0.5, "person", *(["dog"] if 10 <= n < 16 else [])) for n in range(40)]
    [event] = rule_events(glances, span=span)
    assert (event.label, event.start_s, event.end_s) == ("playing_with_dog", 10.0, 16.0)
    # One frame of forty is a mistake of the detector rather than an event.
    glances = [_glance(n + 0.5, "person", *(["dog"] if n == 10 else [])) for n in range(40)]
    assert rule_events(glances, span=span) == []


def test_nothing_is_done_where_nobody_is_and_nothing_moves() -> None:
    clips = [_clip(start, opening_bottle=0.97) for start in (0, 8, 16)]
    bottles = [_glance(start + 1, "bottle") for start in (0, 8, 16)]
    [everywhere] = action_events(clips, bottles)
    assert everywhere.start_s == 0
    [moving] = action_events(clips, bottles, is_still=lambda start_s, end_s: end_s < 5)
    assert moving.start_s == 8
    # Someone who hardly moves may well do something.
    people = [_glance(1, "person", "bottle"), _glance(9, "person", "bottle")]
    assert action_events(clips, people, is_still=lambda start_s, end_s: True)


def test_speech_makes_talking_and_two_make_a_conversation() -> None:
    def spoken(time_s: float) -> bool:
        return True

    one = [_glance(1, "person"), _glance(3, "person")]
    two = [_glance(1, "person", "person"), _glance(3, "person", "person")]
    assert [e.label for e in rule_events(one, span=SPAN, speech=spoken)] == ["talking"]
    assert [e.label for e in rule_events(two, span=SPAN, speech=spoken)] == ["having_a_conversation"]
    assert rule_events(one, span=SPAN) == []


@pytest.mark.parametrize(
    ("label", "written"),
    [
        ("riding a bike", "riding_a_bike"),
        ("tying knot (not on a tie)", "tying_knot"),
        ("passing American football (in game)", "passing_american_football"),
    ],
)
def test_labels_are_snake_case(label: str, written: str) -> None:
    assert snake_case(label) == written


def test_spans_join_over_short_gaps_only() -> None:
    spans = [ScoredSpan(0, 1, 0.4), ScoredSpan(1.2, 2, 0.6), ScoredSpan(5, 6, 0.9)]
    joined = join_spans("x", spans, gap_s=0.5)
    assert [(one.start_s, one.end_s) for one in joined] == [(0, 2), (5, 6)]
    assert joined[0].confidence == pytest.approx(0.5)
