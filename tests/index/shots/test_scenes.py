"""Scene grouping: what belongs together stays together, and no shot is split."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.index.timelines import find, look
from vidence.index.shots.scenes import group_scenes
from vidence.index.shots.signature import ShotSignature, likeness
from vidence.index.thumbnails import Thumb


def _play(order: list[int], *, seconds: float = 3.0) -> list[Thumb]:
    return [look(which) for which in order for _ in range(round(seconds * 10))]


def test_one_long_shot_is_one_scene() -> None:
    assert len(find(_play([0], seconds=40), fps=10).scenes) == 1


def test_a_dialogue_cut_back_and_forth_stays_together() -> None:
    found = find(_play([0, 1, 0, 1, 0, 1]), fps=10)
    assert (len(found.shots), len(found.scenes)) == (6, 1)


def test_a_change_of_place_starts_a_scene() -> None:
    found = find(_play([0, 1, 0, 1, 4, 5, 4, 5]), fps=10)
    assert [scene.start_time for scene in found.scenes] == [0.0, 12.0]


def test_a_short_cutaway_does_not_make_a_scene() -> None:
    found = find(_play([0], seconds=10) + _play([3], seconds=1) + _play([0], seconds=10), fps=10)
    assert len(found.scenes) == 1


def test_a_fade_parts_what_a_cut_would_not() -> None:
    down = [(look(0) * share).astype(np.uint8) for share in np.linspace(1, 0, 8)]
    black = [np.zeros_like(look(0))] * 8
    found = find(_play([0], seconds=10) + down + black + down[::-1] + _play([0], seconds=10), fps=10)
    assert [scene.transition for scene in found.scenes] == ["start", "fade"]


def test_signatures_must_match_the_shots() -> None:
    found = find(_play([0, 1]), fps=10)
    with pytest.raises(ValueError, match="2 shots came with 1 signatures"):
        group_scenes(found.shots, found.signatures[:1])


def test_likeness_is_highest_with_itself() -> None:
    same, other = find(_play([0, 1]), fps=10).signatures
    assert likeness(same, same) == pytest.approx(1.0, abs=1e-3)
    assert likeness(same, other) == pytest.approx(likeness(other, same))
    assert likeness(same, other) < 0.8


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 8), min_size=1, max_size=9), st.floats(0.5, 8.0))
def test_scenes_are_runs_of_whole_shots(order: list[int], seconds: float) -> None:
    found = find(_play(order, seconds=seconds), fps=10)
    edges = {shot.start_time for shot in found.shots} | {found.shots[-1].end_time}
    assert all({scene.start_time, scene.end_time} <= edges for scene in found.scenes)
    assert len(found.scenes) <= max(1, found.shots[-1].end_time // 6)
    assert all(isinstance(signature, ShotSignature) for signature in found.signatures)
