"""The people of a shot: how many, how certain, and who is told in detail."""

from __future__ import annotations

import pytest

from vidence.index.narrate.evidence import SampledFrame
from vidence.index.narrate.facts import People
from vidence.index.narrate.people import ShotMotion, find_people
from vidence.schema.entities import TrackPoint, TrackSeen
from vidence.schema.observations import SeenObject
from vidence.schema.time import TimeRange

SPAN = TimeRange(start_time=0, end_time=4)


def _person(x: float, confidence: float = 0.9, **told: str) -> SeenObject:
    return SeenObject(category="person", confidence=confidence, bbox=(x, 0.2, 0.1, 0.6), attributes=told)


def _find(*frames: list[SeenObject], motion: ShotMotion | None = None) -> People | None:
    samples = [SampledFrame(float(time), 1.0, objects=tuple(found)) for time, found in enumerate(frames)]
    return find_people(samples, motion or ShotMotion(SPAN))


def _some(*frames: list[SeenObject], motion: ShotMotion | None = None) -> People:
    people = _find(*frames, motion=motion)
    assert people is not None
    return people


def _track(speed: float, *, seconds: float = 2.0, x: float = 0.1) -> TrackSeen:
    steps = int(seconds * 4) + 1
    points = tuple(TrackPoint(n / 4, x + speed * n / 4, 0.2, 0.1, 0.6, 0.9) for n in range(steps))
    return TrackSeen(
        start_time=0,
        end_time=points[-1].time_s,
        track_id="t",
        category="person",
        confidence=0.9,
        points=points,
    )


def test_frames_without_people_have_none() -> None:
    assert _find([], []) is None
    dog = SeenObject(category="dog", confidence=0.9, bbox=(0.1, 0.1, 0.2, 0.2))
    assert _find([dog], [dog]) is None


def test_someone_in_one_frame_of_many_is_not_believed() -> None:
    assert _find([_person(0.1, 0.7)], *[[]] * 9) is None
    assert _some([_person(0.1)]).sure, "a single frame is all there is"


def test_certainty_never_reaches_one() -> None:
    assert _some(*[[_person(0.1, 1.0)]] * 5).score == pytest.approx(0.97)


def test_faint_detections_beside_clear_ones_are_not_counted() -> None:
    people = _some(*[[_person(0.1), _person(0.7, 0.4)]] * 4)
    assert (people.count, people.most) == (1, 1)


def test_the_count_is_the_usual_one_and_the_most_is_kept() -> None:
    two = [_person(0.1), _person(0.5)]
    people = _some(two, two, two, [*two, _person(0.8)])
    assert (people.count, people.most) == (2, 3)


def test_each_is_told_from_left_to_right_up_to_three() -> None:
    three = [_person(0.8), _person(0.1), _person(0.45)]
    assert [one.place for one in _some(*[three] * 3).each] == ["left", "centre", "right"]
    four = [_person(x) for x in (0.05, 0.3, 0.55, 0.8)]
    people = _some(*[four] * 3)
    assert (people.count, people.each) == (4, ())
    assert len(people.followed) == 4


def test_upper_and_lower_clothes_are_told_apart() -> None:
    frame = [_person(0.1, clothing_color="white and red", lower_clothing_color="blue")]
    (person,) = _some(*[frame] * 3).each
    assert (person.upper, person.lower) == ("white", "blue")


def test_a_posture_seen_once_of_many_is_not_told() -> None:
    frames = [[_person(0.1, posture="sitting")], *[[_person(0.1)]] * 4]
    assert _some(*frames).each[0].posture is None
    assert _some(*[[_person(0.1, posture="sitting")]] * 5).each[0].posture == "sitting"


def test_someone_who_crosses_is_said_to_move() -> None:
    (person,) = _some(*[[_person(0.1 + 0.12 * step)] for step in range(5)]).each
    assert person.moved == "left_to_right"


def test_a_passer_by_in_known_colours_is_not_told_again() -> None:
    five = [_person(0.15 * n, clothing_color="black") for n in range(5)]
    frames = [five] * 6
    frames[2] = [*five, _person(0.85, clothing_color="black")]
    assert {one.upper for one in _some(*frames).followed} == {"black"}


def test_walking_needs_a_track_of_some_length() -> None:
    motion = ShotMotion(SPAN)
    assert motion.walk(_track(0.2)) is True
    assert motion.walk(_track(0.0)) is False
    assert motion.walk(_track(0.2, seconds=0.5)) is None


def test_a_short_shot_looks_a_second_around_itself() -> None:
    glance = ShotMotion(TimeRange(start_time=1, end_time=1.1))
    assert glance.walk(_track(0.2)) is True
    late = ShotMotion(TimeRange(start_time=9, end_time=9.1))
    assert late.walk(_track(0.2)) is None


def test_one_walker_is_not_most_people() -> None:
    assert not ShotMotion(SPAN, tracks=(_track(0.2),)).most_walk()
    assert ShotMotion(SPAN, tracks=(_track(0.2), _track(0.2))).most_walk()
    assert not ShotMotion(SPAN, tracks=(_track(0.2), _track(0.0))).most_walk()


def test_walking_is_not_judged_by_a_panning_camera() -> None:
    assert ShotMotion(SPAN, pan=0.5).walk(_track(0.2)) is False


def test_a_track_of_someone_else_says_nothing_about_a_posture() -> None:
    frames = [[_person(0.1, posture="standing")]] * 3
    other = ShotMotion(SPAN, stirring=True, tracks=(_track(0.1, x=0.6),))
    assert _some(*frames, motion=other).each[0].posture == "standing"
    hers = ShotMotion(SPAN, stirring=True, tracks=(_track(0.0),))
    assert _some(*frames, motion=hers).each[0].posture == "standing"
