"""Dissolves: a steady mixture of two pictures, unlike motion, light or a cut."""

from __future__ import annotations

import numpy as np
import pytest

from tests.index.shots.windows import FPS, mixed, window_of
from tests.index.timelines import flat, look
from vidence.index.shots.blend import LONGEST_HALF_S, find_dissolve
from vidence.index.shots.sample import ShotChange
from vidence.index.thumbnails import Thumb

STILL = 40


def _dissolve(frames: int, old: Thumb, new: Thumb) -> list[Thumb]:
    ramp = [mixed(old, new, share) for share in np.linspace(0, 1, frames)]
    return [*[old] * STILL, *ramp, *[new] * STILL]


def _found(thumbs: list[Thumb]) -> list[ShotChange]:
    window = window_of(thumbs)
    found = (find_dissolve(window, index) for index in range(len(thumbs)))
    return [change for change in found if change is not None]


@pytest.mark.parametrize("frames", [9, 15, 25, 40])
def test_a_dissolve_is_found_at_its_middle(frames: int) -> None:
    found = _found(_dissolve(frames, look(0), look(1)))
    best = max(found, key=lambda change: change.strength)
    assert best.kind == "dissolve"
    assert best.time == pytest.approx((STILL + frames / 2) / FPS, abs=0.1)
    assert best.start < best.time < best.end
    assert best.end - best.start <= 2 * LONGEST_HALF_S + 0.1


def test_a_hard_cut_is_no_dissolve() -> None:
    assert _found([*[look(0)] * STILL, *[look(1)] * STILL]) == []


def test_a_still_picture_is_no_dissolve() -> None:
    assert _found([look(0)] * 80) == []


def test_a_slow_change_of_light_is_no_dissolve() -> None:
    dim = (look(0) * 0.4).astype(np.uint8)
    assert _found(_dissolve(25, look(0), dim)) == []


def test_a_pan_is_no_dissolve() -> None:
    wide = np.concatenate([look(0), look(1)], axis=1)
    pan = [np.ascontiguousarray(wide[:, at : at + 64]) for at in range(0, 65, 2)]
    assert _found([*[look(0)] * STILL, *pan, *[look(1)] * STILL]) == []


def test_a_wipe_is_no_dissolve() -> None:
    wiped = []
    for edge in range(0, 65, 3):
        thumb = look(0).copy()
        thumb[:, :edge] = look(1)[:, :edge]
        wiped.append(thumb)
    assert _found([*[look(0)] * STILL, *wiped, *[look(1)] * STILL]) == []


def test_into_a_blank_picture_is_left_to_the_fades() -> None:
    assert _found(_dissolve(25, look(0), flat(0))) == []


@pytest.mark.parametrize("held", [2, 8, 12])
def test_a_glare_that_passes_is_no_dissolve(held: int) -> None:
    rise = [mixed(look(0), look(1), share) for share in np.linspace(0, 1, 8)]
    assert _found([*[look(0)] * STILL, *rise, *[look(1)] * held, *rise[::-1], *[look(0)] * STILL]) == []


def test_nothing_is_found_at_the_edges_of_the_window() -> None:
    window = window_of(_dissolve(15, look(0), look(1)))
    assert find_dissolve(window, 0) is None
    assert find_dissolve(window, len(window.samples) - 1) is None
