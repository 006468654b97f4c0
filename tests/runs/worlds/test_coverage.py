"""Coverage: frames shared out over videos and shots, never twice the same."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidence.runs.worlds.coverage import Coverage, FrameTime
from vidence.schema.agent import VideoCard
from vidence.schema.time import TimeRange


def card(name: str, duration_s: float) -> VideoCard:
    return VideoCard(video_id=name, name=f"{name}.mp4", duration_s=duration_s)


def shots(*edges: float) -> list[TimeRange]:
    return [TimeRange(start_time=first, end_time=last) for first, last in pairwise(edges)]


def one_video(*edges: float) -> Coverage:
    return Coverage([card("a", edges[-1])], {"a": shots(*edges)})


def test_spread_frames_are_the_middles_of_equal_parts() -> None:
    assert [moment.time_s for moment in one_video(0, 40).spread(4)] == [5.0, 15.0, 25.0, 35.0]


def test_fewer_frames_than_videos_leave_the_last_videos_out() -> None:
    videos = [card("a", 10), card("b", 10), card("c", 10)]
    coverage = Coverage(videos, {video.video_id: shots(0, 10) for video in videos})
    assert coverage.spread(2) == [FrameTime("a", 5.0), FrameTime("b", 5.0)]


def test_every_second_of_a_long_shot_is_a_candidate_and_a_short_shot_is_one() -> None:
    assert one_video(0, 10).num_left == 10
    assert one_video(0, 0.2, 0.4, 10).num_left == 1 + 1 + 10


def test_a_video_without_shots_is_one_shot() -> None:
    assert Coverage([card("a", 5)], {"a": []}).num_left == 5


def test_a_video_of_no_length_has_one_candidate() -> None:
    coverage = Coverage([card("a", 0)], {"a": []})
    assert len(coverage.farthest(5)) == 1


def test_a_long_video_has_candidates_farther_apart() -> None:
    assert one_video(0, 100_000).num_left == 2000


def test_a_taken_frame_takes_its_neighbours_off_the_list() -> None:
    coverage = one_video(0, 10)
    coverage.take_near([FrameTime("a", 5.0)], 1, 0.4)
    assert coverage.num_left == 8


def test_given_moments_are_taken_in_their_order_up_to_the_count() -> None:
    moments = [FrameTime("a", 8.0), FrameTime("a", 2.0), FrameTime("a", 5.0)]
    assert one_video(0, 10).take_near(moments, 2, 0.4) == moments[:2]
    assert one_video(0, 10).take_near(moments, 0, 0.4) == []


def test_given_moments_next_to_each_other_are_one() -> None:
    moments = [FrameTime("a", 5.0), FrameTime("a", 5.3), FrameTime("a", 5.5)]
    assert one_video(0, 10).take_near(moments, 5, 0.4) == [moments[0], moments[2]]


def test_the_same_time_of_another_video_is_another_frame() -> None:
    coverage = Coverage([card("a", 10), card("b", 10)], {"a": shots(0, 10), "b": shots(0, 10)})
    moments = [FrameTime("a", 5.0), FrameTime("b", 5.0)]
    assert coverage.take_near(moments, 5, 0.4) == moments


def test_an_unseen_short_shot_comes_before_a_far_frame_of_a_seen_one() -> None:
    coverage = one_video(0, 90, 91)
    coverage.take_near([FrameTime("a", 89.9)], 1, 0.4)
    assert coverage.farthest(1) == [FrameTime("a", 90.5)]


def test_within_a_seen_shot_the_farthest_frame_comes_first() -> None:
    coverage = one_video(0, 10)
    coverage.take_near([FrameTime("a", 2.0)], 1, 0.4)
    assert coverage.farthest(1) == [FrameTime("a", 9.5)]


def test_an_unseen_video_comes_before_the_rest_of_a_seen_one() -> None:
    coverage = Coverage([card("a", 100), card("b", 3)], {"a": shots(0, 100), "b": shots(0, 3)})
    coverage.take_near([FrameTime("a", 1.0)], 1, 0.4)
    assert [moment.video_id for moment in coverage.farthest(1)] == ["b"]


@given(st.lists(st.floats(0.5, 30), min_size=1, max_size=8), st.integers(1, 12))
def test_farthest_frames_are_different_and_inside_the_video(lengths: list[float], count: int) -> None:
    edges = [0.0]
    for length in lengths:
        edges.append(edges[-1] + length)
    chosen = one_video(*edges).farthest(count)
    assert len(set(chosen)) == len(chosen) <= count
    assert all(0 <= moment.time_s <= edges[-1] for moment in chosen)


@pytest.mark.parametrize("count", [1, 3, 7])
def test_every_shot_is_seen_before_any_is_seen_twice(count: int) -> None:
    edges = [0.0, 20.0, 21.0, 40.0, 42.0, 60.0, 61.5, 80.0]
    chosen = one_video(*edges).farthest(count)
    seen = {sum(moment.time_s >= edge for edge in edges) for moment in chosen}
    assert len(seen) == count
