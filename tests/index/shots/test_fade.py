"""Runs of blank pictures: a fade, one cut, two cuts, or nothing at all."""

from __future__ import annotations

import numpy as np
import pytest

from tests.index.shots.windows import FPS, mixed, window_of
from tests.index.timelines import flat, look
from vidence.index.shots.fade import FadeTracker
from vidence.index.shots.sample import ShotChange
from vidence.index.thumbnails import Thumb


def _ramp(thumb: Thumb, level: int, *, frames: int = 12) -> list[Thumb]:
    """Return the way from a picture to a blank one, both left out."""
    return [mixed(thumb, flat(level), share) for share in np.linspace(0, 1, frames + 2)[1:-1]]


def _visit(thumbs: list[Thumb]) -> tuple[FadeTracker, list[ShotChange]]:
    window, tracker = window_of(thumbs), FadeTracker()
    found = [change for index in range(len(thumbs)) for change in tracker.visit(window, index)]
    return tracker, found


def _changes(thumbs: list[Thumb]) -> list[tuple[str, float]]:
    return [(change.kind, round(change.time, 2)) for change in _visit(thumbs)[1]]


A, B = [look(0)] * 20, [look(1)] * 20


@pytest.mark.parametrize("level", [0, 255, 120])
def test_a_slow_way_through_a_colour_is_one_fade_in_its_middle(level: int) -> None:
    down, up = _ramp(look(0), level), _ramp(look(1), level)[::-1]
    ((kind, time),) = _changes([*A, *down, *[flat(level)] * 10, *up, *B])
    assert kind == "fade"
    assert time == pytest.approx((20 + 12 + 5) / FPS, abs=0.1)


def test_a_fade_spans_from_the_last_picture_to_the_first_one() -> None:
    down, up = _ramp(look(0), 0), _ramp(look(1), 0)[::-1]
    _, (fade,) = _visit([*A, *down, *[flat(0)] * 10, *up, *B])
    assert fade.start < 32 / FPS < fade.time < 42 / FPS < fade.end


def test_a_long_black_hold_between_hard_edges_is_two_cuts() -> None:
    assert _changes([*A, *[flat(0)] * 20, *B]) == [("cut", 0.8), ("cut", 1.6)]


def test_a_short_black_hold_between_hard_edges_is_one_cut() -> None:
    assert _changes([*A, *[flat(0)] * 5, *B]) == [("cut", 1.0)]


def test_fading_out_and_cutting_in_is_a_cut_where_the_picture_appears() -> None:
    thumbs = [*A, *_ramp(look(0), 0), *[flat(0)] * 10, *B]
    assert _changes(thumbs) == [("cut", round(42 / FPS, 2))]


def test_cutting_to_black_and_fading_in_is_a_cut_where_the_black_begins() -> None:
    thumbs = [*A, *[flat(0)] * 10, *_ramp(look(1), 0)[::-1], *B]
    assert _changes(thumbs) == [("cut", 0.8)]


def test_a_blink_of_the_same_picture_is_nothing() -> None:
    assert _changes([*A, *[flat(0)] * 5, *A]) == []
    assert _changes([*A, *[flat(0)] * 20, *A]) == [("cut", 0.8), ("cut", 1.6)]


def test_a_glare_may_last_longer_than_a_blink() -> None:
    assert _changes([*A, *[flat(250)] * 25, *A]) == []
    assert _changes([*A, *[flat(250)] * 35, *A]) != []


def test_a_blank_leader_is_a_shot_only_when_long_and_cut_off() -> None:
    assert _changes([*[flat(0)] * 5, *B]) == []
    assert _changes([*[flat(0)] * 20, *B]) == [("cut", 0.8)]
    assert _changes([*[flat(0)] * 20, *_ramp(look(1), 0)[::-1], *B]) == []


def test_the_end_in_black_is_a_shot_only_when_long_and_cut_to() -> None:
    long, found = _visit([*A, *[flat(0)] * 20])
    assert found == []
    (edge,) = long.close(40 / FPS)
    assert (edge.kind, round(edge.time, 3)) == ("cut", 0.8)
    assert long.close(40 / FPS) == [], "it is reported once"
    short, _ = _visit([*A, *[flat(0)] * 5])
    assert short.close(25 / FPS) == []
    faded, _ = _visit([*A, *_ramp(look(0), 0), *[flat(0)] * 20])
    assert faded.close(52 / FPS) == []


def test_a_resumed_tracker_ends_a_run_as_the_first_one_would() -> None:
    thumbs = [*A, *[flat(0)] * 20, *B]
    window, tracker = window_of(thumbs), FadeTracker()
    assert tracker.memo() is None
    for index in range(30):
        assert tracker.visit(window, index) == []
    memo = tracker.memo()
    assert memo is not None
    resumed = FadeTracker(memo.model_validate_json(memo.model_dump_json()))
    assert resumed.visit(window, 40) == tracker.visit(window, 40) != []
