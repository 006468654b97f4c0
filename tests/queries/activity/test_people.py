"""Following people: sample times, and which sighting continues which track."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tests.queries.activity.bodies import make_pose
from vidence.app import open_workspace
from vidence.media import open_video
from vidence.queries.activity.people import PersonSighting, PersonTrack, _join, burst_times, follow_people
from vidence.schema.perception import Box
from vidence.schema.time import TimeRange


def _seen(time_s: float, x: float) -> PersonSighting:
    box = Box(x, 0.2, 0.2, 0.6)
    return PersonSighting(time_s, box, 0.9, make_pose(box), (0.0, 0.0))


def _followed(*frames: tuple[float, tuple[float, ...]]) -> list[list[float]]:
    """Join people at these places frame by frame; return the places of each track."""
    tracks: list[PersonTrack] = []
    for time_s, places in frames:
        _join(tracks, [_seen(time_s, x) for x in places], 16 / 9)
    assert all(track.aspect == 16 / 9 for track in tracks)
    return [[one.box.x for one in track.sightings] for track in tracks]


def test_a_person_who_moves_a_little_is_one_track() -> None:
    assert _followed((0.0, (0.1,)), (0.14, (0.12,)), (0.28, (0.14,))) == [[0.1, 0.12, 0.14]]


def test_a_person_elsewhere_is_another_track() -> None:
    assert _followed((0.0, (0.1,)), (0.14, (0.7,))) == [[0.1], [0.7]]


def test_two_people_keep_their_tracks_in_any_order_of_detection() -> None:
    assert _followed((0.0, (0.1, 0.7)), (0.14, (0.68, 0.12))) == [[0.1, 0.12], [0.7, 0.68]]


def test_the_best_overlap_decides_when_two_want_one_track() -> None:
    assert _followed((0.0, (0.3,)), (0.14, (0.38, 0.31))) == [[0.3, 0.31], [0.38]]


@pytest.mark.parametrize(("again_s", "tracks"), [(0.5, 1), (0.6, 2)])
def test_a_person_lost_too_long_is_a_new_track(again_s: float, tracks: int) -> None:
    assert len(_followed((0.0, (0.3,)), (again_s, (0.3,)))) == tracks


def test_an_empty_frame_ends_nothing() -> None:
    assert _followed((0.0, (0.3,)), (0.14, ()), (0.28, (0.3,))) == [[0.3, 0.3]]


def test_a_short_span_is_sampled_evenly_from_its_start() -> None:
    [burst] = burst_times(TimeRange(start_time=10, end_time=12))
    steps = [later - earlier for earlier, later in pairwise(burst)]
    assert burst[0] == 10
    assert len(burst) == 14
    assert max(steps) == pytest.approx(min(steps))


def test_a_long_span_is_sampled_in_equal_dense_bursts_from_start_to_end() -> None:
    bursts = burst_times(TimeRange(start_time=10, end_time=110))
    assert [len(burst) for burst in bursts] == [10] * 6
    assert bursts[0][0] == 10
    assert bursts[-1][-1] == pytest.approx(110, abs=0.2)
    assert all(later - earlier == pytest.approx(1 / 7) for b in bursts for earlier, later in pairwise(b))


def test_a_moment_has_two_samples() -> None:
    assert [len(burst) for burst in burst_times(TimeRange(start_time=1, end_time=1.01))] == [2]


@pytest.mark.slow
def test_the_one_person_of_a_shot_is_one_track(tmp_path: Path, sample: Path) -> None:
    times = [26.0 + n / 7 for n in range(6)]
    with open_workspace(home=tmp_path / "home") as workspace, open_video(sample) as reader:
        tracks = follow_people(reader.at([*times, times[-1]]), workspace.indexer.shelf)
    longest = max(tracks, key=lambda track: len(track.sightings))
    assert len(longest.sightings) >= 5
    assert longest.aspect == pytest.approx(16 / 9)
    assert [one.time_s for one in longest.sightings] == sorted({one.time_s for one in longest.sightings})
    assert longest.last.box.area > 0.3
