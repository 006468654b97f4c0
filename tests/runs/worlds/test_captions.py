"""Worlds of captions: which of them a focus finds, in both languages, and how a function is called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from vidence.errors import OpRetry
from vidence.runs.worlds.captions import CaptionWorld, GivenWorld, spread
from vidence.schema.agent import MemoryUnit, OperationCall, VideoCard

CHINESE = ("一个男人走进厨房", "他打开红色的门", "一只狗在地板上睡觉", "女人在倒茶", "夜幕降临")


def units(*captions: str, every_s: float | None = None) -> list[MemoryUnit]:
    return [
        MemoryUnit(frame_id=number, caption=text, timestamp_s=None if every_s is None else number * every_s)
        for number, text in enumerate(captions, 1)
    ]


def ids(frames: Sequence[MemoryUnit]) -> list[int]:
    return [frame.frame_id for frame in frames]


def test_a_focus_finds_the_captions_that_speak_of_it(world: CaptionWorld) -> None:
    assert ids(world.fetch_new_frames(2, "Where is the dog?")) == [4, 5]


def test_a_chinese_focus_finds_chinese_captions() -> None:
    assert ids(CaptionWorld(units(*CHINESE)).fetch_new_frames(1, "狗在哪里睡觉")) == [3]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    common = ["the door is shut"] * 5
    world = CaptionWorld(units(*common, "a parrot sits still"))
    assert ids(world.fetch_new_frames(1, "door parrot")) == [6]


def test_what_a_focus_leaves_over_is_filled_with_the_farthest(world: CaptionWorld) -> None:
    frames = ids(world.fetch_new_frames(3, "tea"))
    assert 6 in frames
    assert len(frames) == 3


@pytest.mark.parametrize("focus", ["", "   ", None])
def test_an_empty_focus_is_none(world: CaptionWorld, focus: str | None) -> None:
    world.first_frames(2)
    assert ids(world.fetch_new_frames(1, focus)) == [1], "the first of the farthest"


def test_no_more_captions_come_than_there_are(world: CaptionWorld) -> None:
    assert ids(world.fetch_new_frames(99)) == list(range(1, 11))
    assert world.num_unseen == 0


def test_nothing_asked_for_is_nothing_fetched(world: CaptionWorld) -> None:
    assert world.fetch_new_frames(0, "dog") == []
    assert world.num_unseen == 10


def test_captions_without_times_are_spread_by_their_order() -> None:
    world = CaptionWorld(units("a", "b", "c", "d", "e"))
    assert ids(world.fetch_new_frames(1)) == [3], "the middle comes first"
    assert set(ids(world.fetch_new_frames(2))) == {1, 5}


def test_the_farthest_in_time_is_not_the_farthest_in_order() -> None:
    times = [0.0, 1.0, 2.0, 50.0, 100.0]
    made = [MemoryUnit(frame_id=n, caption=str(n), timestamp_s=at) for n, at in enumerate(times)]
    world = CaptionWorld(made)
    world.first_frames(1)
    assert ids(world.fetch_new_frames(1)) == [4]


def test_no_captions_are_a_world_without_frames() -> None:
    world = CaptionWorld([])
    assert (world.first_frames(5), world.fetch_new_frames(5, "dog"), world.num_unseen) == ([], [], 0)


def test_the_videos_behind_captions_are_told() -> None:
    card = VideoCard(video_id="vid_1", name="a.mp4", duration_s=1)
    assert CaptionWorld([], videos=(card,)).videos == (card,)
    assert CaptionWorld([]).videos == ()


def test_captions_are_embedded_once_for_many_focuses() -> None:
    asked: list[int] = []

    def embed(texts: Sequence[str]) -> Any:
        asked.append(len(texts))
        return np.array([[1.0, 0.0] if "茶" in text else [0.0, 1.0] for text in texts])

    world = CaptionWorld(units(*CHINESE), embed=embed)
    assert ids(world.fetch_new_frames(1, "一杯茶")) == [4]
    world.fetch_new_frames(1, "drink")
    assert asked.count(len(CHINESE)) == 1


def test_the_record_of_a_caption_is_the_caption(world: CaptionWorld) -> None:
    world.fetch_new_frames(1, "tea")
    (record,) = world.frame_records([6])
    assert (record.result, record.record_id) == ("a woman pours tea", "frame_6")


def test_a_function_that_takes_a_focus_is_given_it() -> None:
    asked: list[tuple[int, str | None]] = []

    def fetch(count: int, focus: str | None) -> list[MemoryUnit]:
        asked.append((count, focus))
        return units("a")

    GivenWorld([], fetch).fetch_new_frames(3, "狗")
    assert asked == [(3, "狗")]


def test_a_function_that_takes_a_count_only_is_given_no_focus() -> None:
    asked: list[int] = []

    def fetch(count: int) -> list[MemoryUnit]:
        asked.append(count)
        return []

    assert GivenWorld([], fetch).fetch_new_frames(3, "dog") == []
    assert asked == [3]


def test_a_function_cannot_bring_more_than_was_asked_for() -> None:
    world = GivenWorld([], lambda count: units("a", "b", "c"))
    assert ids(world.fetch_new_frames(2)) == [1, 2]


def test_frames_handed_in_are_all_there_is_without_a_function() -> None:
    world = GivenWorld(units("a", "b", "c"))
    assert world.num_unseen == 0
    assert ids(world.first_frames(2)) == [1, 2]
    assert world.fetch_new_frames(5) == []
    assert [record.record_id for record in world.frame_records([2, 3])] == ["frame_2"]


def test_how_many_a_function_can_bring_is_unknown() -> None:
    assert GivenWorld([], lambda count: []).num_unseen is None


def test_a_call_without_a_video_names_the_operation() -> None:
    with pytest.raises(OpRetry, match="detect_objects cannot be called"):
        GivenWorld([]).call(OperationCall(operation="detect_objects"))


@pytest.mark.parametrize(
    ("total", "count", "chosen"), [(10, 2, [2, 7]), (10, 1, [5]), (2, 9, [0, 1]), (0, 3, []), (5, -1, [])]
)
def test_indices_are_the_middles_of_equal_parts(total: int, count: int, chosen: list[int]) -> None:
    assert spread(total, count) == chosen
