from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from vidence.errors import OpRetry, UserError
from vidence.runs.worlds.captions import CaptionWorld, GivenWorld, spread
from vidence.runs.worlds.coverage import Coverage, FrameTime
from vidence.schema.agent import MemoryUnit, OperationCall, VideoCard
from vidence.schema.time import TimeRange


def card(name: str, duration_s: float) -> VideoCard:
    return VideoCard(video_id=name, name=f"{name}.mp4", duration_s=duration_s)


def shots(*edges: float) -> list[TimeRange]:
    return [TimeRange(start_time=a, end_time=b) for a, b in pairwise(edges)]


@pytest.mark.parametrize(("total", "count"), [(180, 5), (5, 5), (3, 5), (0, 5), (10, 1), (10, 0)])
def test_first_frames_are_spread_evenly(total: int, count: int) -> None:
    chosen = spread(total, count)
    assert len(chosen) == min(total, count)
    assert all(0 <= index < total for index in chosen)
    gaps = {after - before for before, after in pairwise(chosen)}
    assert max(gaps, default=0) - min(gaps, default=0) <= 1


def test_without_a_focus_the_unseen_is_covered(world: CaptionWorld) -> None:
    world.first_frames(2)  # the third and the eighth of ten
    assert [frame.frame_id for frame in world.fetch_new_frames(3)] == [1, 5, 10]


def test_a_caption_is_fetched_once(world: CaptionWorld) -> None:
    frames = [*world.first_frames(5), *world.fetch_new_frames(3, "dog"), *world.fetch_new_frames(50)]
    assert sorted(frame.frame_id for frame in frames) == list(range(1, 11))
    assert world.fetch_new_frames(5) == []
    assert world.num_unseen == 0


def test_a_focus_nothing_speaks_of_still_brings_frames(world: CaptionWorld) -> None:
    assert len(world.fetch_new_frames(3, "a spaceship")) == 3


def test_meaning_counts_where_there_is_an_embedder(captions: tuple[MemoryUnit, ...]) -> None:
    def embed(texts: Sequence[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        return np.array([[1.0, 0.0] if "tea" in text or "beverage" in text else [0.0, 1.0] for text in texts])

    world = CaptionWorld(captions, embed=embed)
    assert [frame.caption for frame in world.fetch_new_frames(1, "beverage")] == ["a woman pours tea"]


def test_two_captions_of_one_frame_are_refused() -> None:
    twice = [MemoryUnit(frame_id=1, caption="a"), MemoryUnit(frame_id=1, caption="b")]
    with pytest.raises(UserError, match="Frame id 1"):
        CaptionWorld(twice)


def test_only_fetched_frames_are_records(world: CaptionWorld) -> None:
    world.first_frames(1)
    assert [record.record_id for record in world.frame_records(list(range(1, 11)))] == ["frame_6"]


def test_captions_answer_no_operations(world: CaptionWorld) -> None:
    with pytest.raises(OpRetry, match="no video here"):
        world.call(OperationCall(operation="get_transcript"))


def test_what_a_function_fetches_twice_is_seen_once() -> None:
    same = MemoryUnit(frame_id=7, caption="a cat")
    world = GivenWorld([same], lambda count: [same, MemoryUnit(frame_id=8, caption="a dog")])
    world.first_frames(5)
    assert [frame.frame_id for frame in world.fetch_new_frames(5)] == [8]


def test_frames_are_shared_out_over_the_videos() -> None:
    videos = [card("a", 10), card("b", 100)]
    timeline = Coverage(videos, {"a": shots(0, 10), "b": shots(0, 50, 100)})
    chosen = timeline.spread(5)
    assert [moment.video_id for moment in chosen] == ["a", "a", "a", "b", "b"]
    assert all(0 <= moment.time_s <= (10 if moment.video_id == "a" else 100) for moment in chosen)


def test_a_shot_nothing_was_seen_of_comes_first() -> None:
    timeline = Coverage([card("a", 100)], {"a": shots(0, 80, 82, 100)})
    timeline.spread(1)
    times = [moment.time_s for moment in timeline.farthest(2)]
    assert any(80 <= time < 82 for time in times)
    assert any(time >= 82 for time in times)


def test_moments_next_to_what_was_seen_are_left_out() -> None:
    timeline = Coverage([card("a", 10)], {"a": shots(0, 10)})
    timeline.spread(1)  # the middle, 5 s
    near = timeline.take_near([FrameTime("a", 5.2), FrameTime("a", 8.0), FrameTime("a", 8.1)], 5, 0.4)
    assert near == [FrameTime("a", 8.0)]


def test_a_video_is_used_up() -> None:
    timeline = Coverage([card("a", 3)], {"a": shots(0, 3)})
    assert len(timeline.farthest(100)) == 3
    assert timeline.farthest(5) == []
    assert timeline.num_left == 0


def test_a_day_long_video_is_planned_quickly() -> None:
    edges = [float(second) for second in range(0, 86_400, 40)]
    timeline = Coverage([card("a", 86_400)], {"a": shots(*edges, 86_400.0)})
    assert len(timeline.farthest(32)) == 32
