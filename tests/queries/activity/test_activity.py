"""Telling what bodies do from joints and motion, on drawn-up people whose doings are known."""

from __future__ import annotations

import pytest

from tests.queries.activity.bodies import make_track
from vidence.index.activity.event import Activity
from vidence.queries.activity.atomic import atomic_activities, clip_to, merge_same
from vidence.queries.activity.clips import missing_clips, without_cuts
from vidence.queries.activity.people import PersonSighting, PersonTrack, burst_times
from vidence.schema.observations import ActionsSeen
from vidence.schema.time import TimeRange


@pytest.mark.parametrize(
    ("track", "label"),
    [
        (make_track(), "standing"),
        (make_track(sitting=True), "sitting"),
        (make_track(speed=0.6), "walking"),
        (make_track(speed=2.2, seconds=0.9), "running"),
        (make_track(wave=True), "waving"),
    ],
    ids=["standing", "sitting", "walking", "running", "waving"],
)
def test_a_body_s_doing_is_named(track: PersonTrack, label: str) -> None:
    found = atomic_activities([track])
    assert label in {one.label for one in found}
    for one in found:
        assert 0.3 < one.confidence < 0.95


def test_who_stands_does_not_walk_and_who_walks_does_not_wave() -> None:
    assert {one.label for one in atomic_activities([make_track()])} == {"standing"}
    assert {one.label for one in atomic_activities([make_track(speed=0.6)])} == {"walking"}


def test_a_panning_camera_does_not_make_a_person_walk() -> None:
    track = make_track(speed=0.6)
    steady = PersonTrack(1.0, [
        PersonSighting(s.time_s, s.box, s.confidence, s.pose, (0.3 - s.box.x, 0.0)) for s in track.sightings
    ])  # fmt: skip
    assert "running" not in {one.label for one in atomic_activities([steady])}
    assert max(one.confidence for one in atomic_activities([track])) > 0.6


def test_several_people_walking_are_one_activity() -> None:
    found = atomic_activities([make_track(speed=0.6), make_track(speed=-0.2), make_track(speed=0.5)])
    assert [one.label for one in found].count("walking") == 1


def test_a_glimpse_is_not_an_activity() -> None:
    assert atomic_activities([make_track(seconds=0.4)]) == []


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


@pytest.mark.parametrize(("end", "count"), [(1.28, 1), (2.0, 1), (4.0, 2), (8.0, 4), (60.0, 6)])
def test_clips_are_spread_over_the_span_up_to_six(end: float, count: int) -> None:
    clips = missing_clips(TimeRange(start_time=0, end_time=end), [], 1.28)
    assert len(clips) == count
    assert all(clip.duration_s == pytest.approx(1.28) for clip in clips)
    assert all(clip.start_time >= 0 and clip.end_time <= end + 1e-6 for clip in clips)


def test_a_short_span_that_is_known_needs_no_clip() -> None:
    known = [ActionsSeen(start_time=1.0, end_time=2.3, actions=())]
    assert missing_clips(TimeRange(start_time=1, end_time=1.5), known, 1.28) == []


def test_clips_that_are_all_known_are_not_looked_at_again() -> None:
    span = TimeRange(start_time=0, end_time=12)
    known = [ActionsSeen(start_time=float(t), end_time=t + 1.28, actions=()) for t in range(12)]
    assert missing_clips(span, known, 1.28) == []


def test_a_clip_is_cut_to_the_shot_that_holds_most_of_it() -> None:
    shots = [TimeRange(start_time=start, end_time=end) for start, end in ((0, 5), (5, 6), (6, 20))]
    clips = [TimeRange(start_time=start, end_time=start + 4) for start in (0.0, 2.5, 4.2, 7.0)]
    kept = [(clip.start_time, clip.end_time) for clip in without_cuts(clips, shots)]
    assert kept == [(0, 4), (2.5, 5), (6, 8.2), (7, 11)]
    assert without_cuts([TimeRange(start_time=4.0, end_time=7.0)], shots) == []
    assert without_cuts(clips, []) == clips
