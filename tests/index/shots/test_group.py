"""Grouping given shots into scenes: likeness, distance in time, transitions and length."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.index.timelines import look
from vidence.index.shots.scenes import group_scenes
from vidence.index.shots.signature import ShotSignature, SignatureLog, likeness
from vidence.schema.observations import Segment, Transition


def _signature(seed: int) -> ShotSignature:
    log = SignatureLog()
    log.add(0.0, look(seed))
    return log.between(0, 1)


def _group(
    pictures: Sequence[int], lengths: Sequence[float], transitions: dict[int, Transition] | None = None
) -> list[Segment]:
    shots, start = [], 0.0
    for number, length in enumerate(lengths):
        kind: Transition = (transitions or {}).get(number, "cut" if number else "start")
        shots.append(
            Segment(
                segment_id=f"seg_{number + 1:03d}",
                start_time=start,
                end_time=start + length,
                type="shot",
                transition=kind,
            )
        )
        start += length
    return group_scenes(shots, [_signature(seed) for seed in pictures])


def _starts(scenes: Sequence[Segment]) -> list[float]:
    return [scene.start_time for scene in scenes]


def test_no_shots_make_no_scenes() -> None:
    assert group_scenes([], []) == []


def test_shots_of_one_place_are_one_scene() -> None:
    (scene,) = _group([0, 0, 0], [10, 10, 10])
    assert (scene.start_time, scene.end_time, scene.type, scene.segment_id) == (0, 30, "scene", "seg_001")
    assert scene.transition == "start"


def test_unlike_shots_are_scenes_of_their_own() -> None:
    assert _starts(_group([0, 3, 5], [10, 10, 10])) == [0, 10, 20]


def test_what_lies_between_two_shots_alike_is_held_with_them() -> None:
    assert _starts(_group([0, 3, 0, 5], [10, 10, 10, 10])) == [0, 30]


def test_a_place_shown_again_much_later_is_another_scene() -> None:
    assert _starts(_group([0, 3, 0], [10, 10, 10])) == [0]
    assert _starts(_group([0, 3, 0], [10, 120, 10])) == [0, 10, 130]


def test_a_link_reaches_over_eight_shots_only() -> None:
    others = [1, 3, 5, 6, 7, 8, 4]
    near = _group([0, *others, 0], [7.0] + [1.0] * 7 + [7.0])
    assert len(near) == 1
    far = _group([0, *others, 2, 0], [7.0] + [1.0] * 8 + [7.0])
    assert len(far) > 1


@pytest.mark.parametrize(("transition", "count"), [("cut", 1), ("dissolve", 1), ("fade", 2)])
def test_a_fade_loosens_a_link_more_than_a_dissolve(transition: Transition, count: int) -> None:
    scenes = _group([0, 0], [10, 10], {1: transition})
    assert len(scenes) == count
    if count == 2:
        assert scenes[1].transition == "fade"


def test_a_scene_under_six_seconds_joins_the_neighbour_it_is_most_like() -> None:
    # Picture 1 is unlike both, but a little more like 5 than like 4.
    assert likeness(_signature(1), _signature(5)) > likeness(_signature(1), _signature(4))
    assert _starts(_group([5, 1, 4], [10, 3, 10])) == [0, 13]
    assert _starts(_group([4, 1, 5], [10, 3, 10])) == [0, 10]


def test_a_video_shorter_than_a_scene_is_one() -> None:
    assert len(_group([0, 3, 5], [1, 1, 1])) == 1
