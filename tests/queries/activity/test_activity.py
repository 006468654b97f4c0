"""Telling what bodies do from joints and motion, on drawn-up people whose doings are known."""

from __future__ import annotations

import math

import pytest

from vidence.index.activity.event import Activity
from vidence.models.vision.movenet import KEYPOINTS
from vidence.queries.activity.atomic import atomic_activities, clip_to, merge_same
from vidence.queries.activity.clips import missing_clips
from vidence.queries.activity.people import PersonSighting, PersonTrack, burst_times
from vidence.schema.observations import ActionsSeen
from vidence.schema.perception import BodyPose, Box, Keypoint
from vidence.schema.time import TimeRange

STANDING = {
    "shoulder": 0.2, "elbow": 0.35, "wrist": 0.5, "hip": 0.5, "knee": 0.75, "ankle": 1.0,
}  # fmt: skip


def _pose(
    box: Box, *, hand: tuple[float, float] | None = None, sitting: bool = False, gap: float = 0.1
) -> BodyPose:
    """Draw a person into a box; `hand` is where the left wrist is, in box fractions."""
    points = []
    for name in KEYPOINTS:
        side, _, part = name.partition("_")
        x, y = 0.5, 0.08
        if part in STANDING:
            spread = gap if part == "ankle" else 0.2
            x, y = 0.5 + (spread if side == "left" else -spread), STANDING[part]
        if sitting and part == "knee":
            y = 0.55
        if hand is not None and name == "left_wrist":
            x, y = hand
        points.append(Keypoint(name, box.x + x * box.w, box.y + y * box.h, 0.8))
    return BodyPose(tuple(points))


def _track(
    *, speed: float = 0.0, wave: bool = False, sitting: bool = False, seconds: float = 3.0
) -> PersonTrack:
    track = PersonTrack(aspect=1.0)
    for n in range(round(seconds * 7)):
        t = n / 7
        box = Box(0.1 + speed * 0.4 * t, 0.3, 0.2, 0.4)
        hand = (0.7 + 0.3 * math.sin(2 * math.pi * t), 0.05) if wave else None
        gap = 0.1 * math.cos(2 * math.pi * t) if speed else 0.1
        pose = _pose(box, hand=hand, sitting=sitting, gap=gap)
        track.sightings.append(PersonSighting(t, box, 0.9, pose, (0.0, 0.0)))
    return track


@pytest.mark.parametrize(
    ("track", "label"),
    [
        (_track(), "standing"),
        (_track(sitting=True), "sitting"),
        (_track(speed=0.6), "walking"),
        (_track(speed=2.2, seconds=0.9), "running"),
        (_track(wave=True), "waving"),
    ],
    ids=["standing", "sitting", "walking", "running", "waving"],
)
def test_a_body_s_doing_is_named(track: PersonTrack, label: str) -> None:
    found = atomic_activities([track])
    assert label in {one.label for one in found}
    for one in found:
        assert 0.3 < one.confidence < 0.95


def test_who_stands_does_not_walk_and_who_walks_does_not_wave() -> None:
    assert {one.label for one in atomic_activities([_track()])} == {"standing"}
    assert {one.label for one in atomic_activities([_track(speed=0.6)])} == {"walking"}


def test_a_panning_camera_does_not_make_a_person_walk() -> None:
    track = _track(speed=0.6)
    steady = PersonTrack(1.0, [
        PersonSighting(s.time_s, s.box, s.confidence, s.pose, (0.3 - s.box.x, 0.0)) for s in track.sightings
    ])  # fmt: skip
    assert "running" not in {one.label for one in atomic_activities([steady])}
    assert max(one.confidence for one in atomic_activities([track])) > 0.6


def test_several_people_walking_are_one_activity() -> None:
    found = atomic_activities([_track(speed=0.6), _track(speed=-0.2), _track(speed=0.5)])
    assert [one.label for one in found].count("walking") == 1


def test_a_glimpse_is_not_an_activity() -> None:
    assert atomic_activities([_track(seconds=0.4)]) == []


def test_a_long_stretch_is_sampled_in_bursts_inside_it() -> None:
    for end in (0.3, 5.0, 120.0):
        times = [t for burst in burst_times(TimeRange(start_time=0, end_time=end)) for t in burst]
        assert times == sorted(times)
        assert 2 <= len(times) <= 60
        assert times[0] >= 0
        assert times[-1] < end


def test_only_clips_the_index_lacks_are_looked_at() -> None:
    span = TimeRange(start_time=0, end_time=12)
    known = [ActionsSeen(start_time=start, end_time=start + 1.3, actions=()) for start in (0.0, 8.0)]
    assert len(missing_clips(span, [], 1.28)) == 6
    some = missing_clips(span, known, 1.28)
    assert 0 < len(some) < 6
    assert all(clip.end_time <= 12.001 for clip in some)
    short = TimeRange(start_time=1, end_time=1.5)
    assert missing_clips(short, [], 1.28) == [short]


def test_activities_of_one_label_merge_and_are_cut_to_a_span() -> None:
    found = [Activity("x", 0.5, 0, 2), Activity("x", 0.9, 5, 6), Activity("x", 0.7, 1.5, 5.2)]
    merged = merge_same(found, gap_s=0.1)
    assert [(one.start_s, one.end_s, one.confidence) for one in merged] == [(0, 6, 0.9)]
    assert clip_to(merged, TimeRange(start_time=7, end_time=8)) == []
    (cut,) = clip_to(merged, TimeRange(start_time=4, end_time=8))
    assert (cut.start_s, cut.end_s) == (4, 6)
