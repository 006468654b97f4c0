"""Body actions: the limits between standing, walking and running, and what arms do."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from tests.queries.activity.bodies import make_pose, make_track
from vidence.index.activity.event import Activity
from vidence.queries.activity.atomic import atomic_activities, clip_to, merge_same
from vidence.queries.activity.people import PersonSighting, PersonTrack
from vidence.schema.perception import BodyPose, Box
from vidence.schema.time import TimeRange

FPS = 7
BODY = Box(0.3, 0.2, 0.2, 0.6)
Hand = Callable[[float], tuple[float, float]]


def _labels(*tracks: PersonTrack) -> set[str]:
    return {one.label for one in atomic_activities(tracks)}


def _drawn(draw: Callable[[float], tuple[Box, BodyPose]], *, seconds: float = 3.0) -> PersonTrack:
    track = PersonTrack(aspect=1.0)
    for number in range(round(seconds * FPS)):
        box, pose = draw(number / FPS)
        track.sightings.append(PersonSighting(number / FPS, box, 0.9, pose, (0.0, 0.0)))
    return track


def _with_hand(hand: Hand, *, box: Box = BODY, sitting: bool = False) -> PersonTrack:
    return _drawn(lambda t: (box, make_pose(box, hand=hand(t), sitting=sitting)))


def _without(track: PersonTrack, *parts: str) -> PersonTrack:
    """Return the same track with some joints hidden."""
    return PersonTrack(
        track.aspect,
        [
            PersonSighting(
                one.time_s,
                one.box,
                one.confidence,
                BodyPose(tuple(p for p in one.pose.keypoints if p.name.partition("_")[2] not in parts)),
                one.camera,
            )
            for one in track.sightings
        ],
    )


@pytest.mark.parametrize(
    ("speed", "label"),
    [(0.0, "standing"), (0.4, "walking"), (1.2, "walking"), (-0.4, "walking"), (2.2, "running")],
)
def test_the_speed_of_a_body_tells_standing_walking_and_running_apart(speed: float, label: str) -> None:
    seconds = 0.9 if speed > 2 else 3.0
    assert label in _labels(make_track(speed=speed, seconds=seconds))


def test_without_legs_only_a_brisk_move_is_walking() -> None:
    slow, brisk = (_without(make_track(speed=speed), "knee", "ankle") for speed in (0.4, 1.2))
    assert "walking" not in _labels(slow)
    assert "walking" in _labels(brisk)


def test_without_hips_and_legs_nothing_is_said_of_a_still_body() -> None:
    still = _without(make_track(), "hip", "knee", "ankle")
    assert not _labels(still) & {"standing", "sitting", "walking"}


def test_somebody_who_steps_towards_the_camera_walks() -> None:
    def nearer(t: float) -> tuple[Box, BodyPose]:
        height = 0.3 * math.exp(0.2 * t)
        box = Box(0.4 - height / 6, 0.9 - height, height / 3, height)
        return box, make_pose(box, gap=0.3 * math.cos(2 * math.pi * t))

    assert "walking" in _labels(_drawn(nearer))


def test_the_shape_of_the_picture_counts_in_the_speed() -> None:
    slow = _without(make_track(speed=0.15), "ankle")
    wide = PersonTrack(3.0, slow.sightings)
    assert "walking" not in _labels(slow)
    assert "walking" in _labels(wide)


@pytest.mark.parametrize(
    ("hand", "label"),
    [
        (lambda t: (0.7 + 0.3 * math.sin(2 * math.pi * t), 0.05), "waving"),
        (lambda t: (0.7, 0.0), "raising_hand"),
        (lambda t: (0.6 + 0.05 * math.sin(9 * t), 0.32 + 0.05 * math.cos(9 * t)), "gesturing"),
        (lambda t: (1.4 + 0.3 * math.sin(t), 0.3), "reaching"),
    ],
    ids=["waving", "raising", "gesturing", "reaching"],
)
def test_the_path_of_a_hand_tells_its_gesture(hand: Hand, label: str) -> None:
    assert label in _labels(_with_hand(hand))


def test_a_hand_at_rest_makes_no_gesture() -> None:
    assert _labels(_with_hand(lambda t: (0.7, 0.5))) == {"standing"}


def test_somebody_may_sit_and_wave_at_once() -> None:
    waving = _with_hand(lambda t: (0.7 + 0.3 * math.sin(2 * math.pi * t), 0.05), sitting=True)
    assert _labels(waving) == {"sitting", "waving"}


def test_the_arms_of_somebody_far_away_are_not_read() -> None:
    small = Box(0.3, 0.4, 0.1, 0.25)
    assert _labels(_with_hand(lambda t: (0.7, 0.0), box=small)) == {"standing"}


def test_a_poorly_seen_body_is_less_sure() -> None:
    track = make_track()
    faint = PersonTrack(1.0, [
        PersonSighting(s.time_s, s.box, 0.4, s.pose, s.camera) for s in track.sightings
    ])  # fmt: skip
    [clear], [unclear] = atomic_activities([track]), atomic_activities([faint])
    assert unclear.confidence < clear.confidence <= 0.92


def test_an_activity_lasts_from_the_first_to_the_last_sighting() -> None:
    [standing] = atomic_activities([make_track(seconds=3.0)])
    assert standing.start_s == 0
    assert standing.end_s == pytest.approx(3.0)


def test_a_long_break_divides_an_activity_and_a_longer_gap_joins_it() -> None:
    early, late = make_track(seconds=2.0), make_track(seconds=2.0)
    later = PersonTrack(1.0, [
        PersonSighting(s.time_s + 5, s.box, s.confidence, s.pose, s.camera) for s in late.sightings
    ])  # fmt: skip
    assert [round(one.start_s) for one in atomic_activities([early, later])] == [0, 5]
    assert [round(one.end_s) for one in atomic_activities([early, later], gap_s=4.0)] == [7]


def test_nobody_does_nothing() -> None:
    assert atomic_activities([]) == []
    assert atomic_activities([PersonTrack(1.0)]) == []


def test_activities_of_different_labels_never_merge() -> None:
    found = [Activity("a", 0.5, 0, 2), Activity("b", 0.9, 1, 3), Activity("a", 0.7, 2.05, 3)]
    merged = merge_same(found, gap_s=0.1)
    assert merged == [Activity("a", 0.7, 0, 3), Activity("b", 0.9, 1, 3)]
    assert merge_same(found, gap_s=0.0)[:2] == [Activity("a", 0.5, 0, 2), Activity("a", 0.7, 2.05, 3)]


def test_a_short_activity_inside_a_long_one_does_not_shorten_it() -> None:
    assert merge_same([Activity("a", 0.5, 0, 9), Activity("a", 0.4, 1, 2)], gap_s=0.1) == [
        Activity("a", 0.5, 0, 9)
    ]


def test_activities_that_only_touch_a_span_are_dropped() -> None:
    found = [Activity("a", 0.5, 0, 2), Activity("b", 0.5, 1, 9), Activity("c", 0.5, 5, 6)]
    assert clip_to(found, TimeRange(start_time=2, end_time=5)) == [Activity("b", 0.5, 2, 5)]
