"""Events from clips and rules: touching, counting, signs, gaps and steadiness."""

from __future__ import annotations

import pytest

from vidence.index.activity.event import ScoredSpan, action_events, join_spans, rule_events
from vidence.index.activity.evidence import FrameEvidence
from vidence.schema.observations import ActionsSeen, NamedScore
from vidence.schema.perception import Box, Detection
from vidence.schema.time import TimeRange

SPAN = TimeRange(start_time=0, end_time=4)
PERSON = Box(0.1, 0.1, 0.3, 0.8)
NEAR, FAR = Box(0.3, 0.5, 0.2, 0.2), Box(0.7, 0.5, 0.2, 0.2)


def _frame(time_s: float, *things: tuple[str, Box], labels: dict[str, float] | None = None) -> FrameEvidence:
    return FrameEvidence(time_s, [Detection(name, 0.9, box) for name, box in things], labels or {})


def _labels(
    *things: tuple[str, Box], labels: dict[str, float] | None = None, speech: bool = False
) -> list[str]:
    frames = [_frame(time, *things, labels=labels) for time in (0.5, 1.5, 2.5, 3.5)]
    return [one.label for one in rule_events(frames, span=SPAN, speech=lambda _: speech)]


def _clip(start: float, label: str, score: float, *, length: float = 1.3) -> ActionsSeen:
    return ActionsSeen(
        start_time=start, end_time=start + length, actions=(NamedScore(label=label, score=score),)
    )


def test_a_phone_is_used_by_who_touches_it() -> None:
    assert _labels(("person", PERSON), ("cell phone", NEAR)) == ["using_phone"]
    assert _labels(("person", PERSON), ("cell phone", FAR)) == []
    assert _labels(("cell phone", NEAR)) == []


def test_a_meal_needs_everything_that_belongs_to_it() -> None:
    table = ("dining table", Box(0.0, 0.5, 0.9, 0.5))
    assert _labels(("person", PERSON), table, ("fork", NEAR)) == ["having_a_meal"]
    assert _labels(("person", PERSON), table) == []


def test_a_meeting_needs_two_people() -> None:
    laptop, other = ("laptop", NEAR), ("person", Box(0.5, 0.1, 0.3, 0.8))
    assert "having_a_meeting" not in _labels(("person", PERSON), laptop)
    assert "having_a_meeting" in _labels(("person", PERSON), other, laptop)


def test_coffee_is_made_only_where_something_shows_coffee() -> None:
    pair = (("person", PERSON), ("cup", NEAR))
    assert "making_coffee" not in _labels(*pair)
    assert "making_coffee" in _labels(*pair, labels={"espresso": 0.2})


def test_without_frames_there_are_no_events() -> None:
    assert rule_events([], span=SPAN) == []


def test_an_event_held_all_the_time_is_more_certain_than_a_patchy_one() -> None:
    bare, held = (("person", PERSON),), (("person", PERSON), ("dog", FAR))

    def confidence(*with_dog: bool) -> float:
        frames = [_frame(n + 0.5, *(held if seen else bare)) for n, seen in enumerate(with_dog)]
        span = TimeRange(start_time=0, end_time=len(frames))
        (event,) = rule_events(frames, span=span)
        return event.confidence

    steady, patchy, brief = (
        confidence(*[True] * 6),
        confidence(True, False, True, True),
        confidence(True, True),
    )
    assert steady == pytest.approx(0.5)
    assert patchy < steady
    assert brief <= steady


def test_joined_spans_keep_the_longest_end_and_any_order() -> None:
    spans = [ScoredSpan(2, 3, 0.2), ScoredSpan(0, 5, 0.6), ScoredSpan(5.4, 6, 0.4)]
    (joined,) = join_spans("x", spans, gap_s=0.5)
    assert (joined.start_s, joined.end_s, joined.label) == (0, 6, "x")
    assert joined.confidence == pytest.approx(0.4)
    assert join_spans("x", [], gap_s=1) == []


def test_an_action_is_joined_over_the_usual_gap_between_clips() -> None:
    dogs = [_frame(float(time), ("person", PERSON), ("dog", NEAR)) for time in range(20)]
    clips = [_clip(start, "training dog", 0.9) for start in (0.0, 8.0, 16.0)]
    (event,) = action_events(clips, dogs)
    assert (event.start_s, event.end_s) == pytest.approx((0.0, 17.3))


def test_an_action_of_some_clips_only_is_weaker() -> None:
    dogs = [_frame(float(time), ("person", PERSON), ("dog", NEAR)) for time in range(20)]
    all_of_them = action_events([_clip(s, "training dog", 0.9) for s in (0.0, 2.0, 4.0)], dogs)
    some = action_events(
        [_clip(0.0, "training dog", 0.9), _clip(2.0, "clapping", 0.1), _clip(4.0, "training dog", 0.9)], dogs
    )
    assert [one.label for one in all_of_them] == ["training_dog"]
    assert max(one.confidence for one in some) < all_of_them[0].confidence


def test_faint_actions_are_left_out() -> None:
    dogs = [_frame(1.0, ("person", PERSON), ("dog", NEAR))]
    assert action_events([_clip(0, "training dog", 0.1)], dogs) == []
    assert action_events([], dogs) == []


def test_a_clip_between_frames_is_checked_against_the_nearest() -> None:
    frames = [_frame(0.0, ("person", PERSON)), _frame(20.0, ("person", PERSON), ("dog", NEAR))]
    assert action_events([_clip(14, "training dog", 0.95)], frames) != []
    assert action_events([_clip(4, "training dog", 0.95)], frames) == []


@pytest.mark.parametrize(
    ("scores", "believed"),
    [
        ([("rock climbing", 0.3), ("rock climbing", 0.95), ("rock climbing", 0.95)], True),
        ([("busking", 0.96), ("busking", 0.58)], False),
        ([("playing cymbals", 0.9), ("shaving head", 0.1)], False),
        ([("rock climbing", 0.3), ("rock climbing", 0.4)], False),
        ([("busking", 0.7), ("archery", 0.2), ("busking", 0.1), ("yoga", 0.3)], False),
    ],
)
def test_an_action_that_nothing_checks_is_believed_when_it_leads_in_most_clips(
    scores: list[tuple[str, float]], believed: bool
) -> None:
    clips = [_clip(8.0 * index, label, score) for index, (label, score) in enumerate(scores)]
    frames = [_frame(float(time), ("person", PERSON)) for time in range(8 * len(scores))]
    found = [one for one in action_events(clips, frames) if one.confidence >= 0.45]
    assert bool(found) is believed


def _dances(*labels: str, score: float = 0.4) -> list[ActionsSeen]:
    """Return clips in a row, each with two kinds of dancing and something else."""
    rest = (NamedScore(label="robot dancing", score=0.2), NamedScore(label="air drumming", score=0.1))
    return [
        ActionsSeen(
            start_time=4.0 * number,
            end_time=4.0 * number + 3.84,
            actions=(NamedScore(label=label, score=score), *rest),
        )
        for number, label in enumerate(labels)
    ]


def _someone(seconds: int, box: Box = PERSON) -> list[FrameEvidence]:
    return [_frame(float(time), ("person", box)) for time in range(seconds)]


def test_several_kinds_of_dancing_are_dancing() -> None:
    clips = _dances("tap dancing", "jumpstyle dancing", "salsa dancing")
    (event,) = action_events(clips, _someone(12))
    assert (event.label, event.start_s, event.end_s) == ("dancing", 0.0, 11.84)
    assert event.confidence == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("clips", "frames"),
    [
        (_dances("tap dancing", "salsa dancing"), _someone(8)),
        (_dances("tap dancing", "salsa dancing", "zumba", score=0.22), _someone(12)),
        (_dances("tap dancing", "yoga", "zumba"), _someone(12)),
        (_dances("tap dancing", "salsa dancing", "zumba"), [_frame(float(n)) for n in range(12)]),
        (_dances("tap dancing", "salsa dancing", "zumba"), _someone(12, Box(0.4, 0.4, 0.1, 0.2))),
    ],
    ids=["two clips", "faint", "interrupted", "nobody", "far away"],
)
def test_a_family_that_is_not_sure_is_not_told(clips: list[ActionsSeen], frames: list[FrameEvidence]) -> None:
    assert action_events(clips, frames) == []


def test_an_action_that_is_believed_is_told_instead_of_its_family() -> None:
    clips = _dances(*["salsa dancing"] * 3, score=0.75)
    assert [one.label for one in action_events(clips, _someone(12))] == ["salsa_dancing"]


def test_of_nested_families_the_smaller_is_told() -> None:
    shots = ("dribbling basketball", "shooting basketball", "playing basketball")
    clips = [_clip(4.0 * number, label, 0.8, length=3.84) for number, label in enumerate(shots)]
    assert [one.label for one in action_events(clips, _someone(12))] == ["playing_basketball"]
