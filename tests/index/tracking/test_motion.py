"""The Kalman filter of one box: it learns a speed, trusts confident boxes more, and follows the camera."""

from __future__ import annotations

import pytest

from vidence.index.tracking.motion import BoxMotion, CameraStep
from vidence.schema.perception import Box

START = Box(0.1, 0.3, 0.1, 0.4)


def _values(box: Box) -> tuple[float, float, float, float]:
    return box.x, box.y, box.w, box.h


def _walked(speed: float, *, steps: int = 20, aspect: float = 1.0) -> BoxMotion:
    motion = BoxMotion(START, aspect=aspect)
    for step in range(1, steps):
        motion.predict(0.1)
        motion.correct(Box(START.x + speed * step / 10, START.y, START.w, START.h), confidence=0.9)
    return motion


@pytest.mark.parametrize("aspect", [1.0, 16 / 9, 9 / 16])
def test_a_new_box_is_where_it_was_seen_and_stands_still(aspect: float) -> None:
    motion = BoxMotion(START, aspect=aspect)
    assert _values(motion.box) == pytest.approx(_values(START))
    assert motion.speed == 0
    motion.predict(1.0)
    assert _values(motion.box) == pytest.approx(_values(START))


def test_a_steady_walk_is_extrapolated() -> None:
    motion = _walked(0.2)
    assert motion.box.x == pytest.approx(0.1 + 0.2 * 1.9, abs=0.01)
    before = motion.box.x
    motion.predict(0.5)
    assert motion.box.x - before == pytest.approx(0.1, abs=0.02)


def test_speed_is_measured_in_widths_a_second_in_any_shape_of_picture() -> None:
    assert _walked(0.2).speed == pytest.approx(2.0, rel=0.1)
    assert _walked(0.2, aspect=16 / 9).speed == pytest.approx(2.0, rel=0.1)
    assert _walked(-0.2).speed == pytest.approx(2.0, rel=0.1)


def test_a_confident_box_moves_it_more() -> None:
    there = Box(0.2, 0.3, 0.1, 0.4)
    reached = []
    for confidence in (0.1, 0.5, 1.0):
        motion = BoxMotion(START, aspect=1.0)
        motion.predict(0.1)
        motion.correct(there, confidence=confidence)
        reached.append(motion.box.x)
    assert reached == sorted(reached)
    assert START.x < reached[0] < reached[-1] < there.x


def test_the_longer_it_was_unseen_the_more_a_box_moves_it() -> None:
    there = Box(0.2, 0.3, 0.1, 0.4)
    reached = []
    for seconds in (0.1, 0.5, 2.0):
        motion = BoxMotion(START, aspect=1.0)
        motion.predict(seconds)
        motion.correct(there)
        reached.append(motion.box.x)
    assert reached == sorted(reached)
    assert reached[-1] == pytest.approx(there.x, abs=0.01)


def test_its_size_drifts_towards_what_is_seen() -> None:
    motion = BoxMotion(START, aspect=1.0)
    for _ in range(10):
        motion.predict(0.1)
        motion.correct(Box(0.05, 0.2, 0.2, 0.6), confidence=0.9)
    assert motion.box.h == pytest.approx(0.6, abs=0.05)
    assert motion.box.w == pytest.approx(0.2, abs=0.03)


def test_a_pan_to_the_right_moves_the_box_to_the_left() -> None:
    motion = BoxMotion(START, aspect=16 / 9)
    motion.predict(0.1, CameraStep(dx=0.05, dy=-0.1))
    assert _values(motion.box) == pytest.approx((0.05, 0.4, 0.1, 0.4))


def test_a_zoom_grows_the_box_away_from_the_centre() -> None:
    motion = BoxMotion(START, aspect=1.0)
    motion.predict(0.1, CameraStep(zoom=0.5))
    assert motion.box.w == pytest.approx(0.15)
    assert motion.box.h == pytest.approx(0.6)
    assert motion.box.centre == pytest.approx((0.5 - 0.35 * 1.5, 0.5))


def test_an_empty_box_has_a_speed_all_the_same() -> None:
    motion = BoxMotion(Box(0.5, 0.5, 0.0, 0.0), aspect=1.0)
    motion.predict(0.1)
    motion.correct(Box(0.5, 0.5, 0.0, 0.0))
    assert motion.speed == pytest.approx(0.0)
