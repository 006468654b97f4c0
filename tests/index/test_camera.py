"""Camera motion between frames, and its summary over a second."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.index.pictures import textured
from vidence.index.camera import CAMERA_SIZE, Step, measure_step, shake, summarise
from vidence.schema.perception import Rgb


def _gray(image: Rgb) -> NDArray[np.uint8]:
    small = cv2.resize(image, CAMERA_SIZE, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), np.uint8)


def test_a_still_camera_moves_nothing() -> None:
    step = measure_step(_gray(textured()), _gray(textured()), 0.1)
    assert step.reliable
    assert (step.dx, step.dy, step.zoom, step.activity) == pytest.approx((0, 0, 0, 0), abs=1e-3)


@pytest.mark.parametrize(("left", "top"), [(12, 0), (0, 8), (12, 8)])
def test_a_pan_to_the_right_and_a_tilt_down_are_positive(left: int, top: int) -> None:
    step = measure_step(_gray(textured()), _gray(textured(left, top)), 0.1)
    assert step.reliable
    assert step.dx == pytest.approx(left / 384, abs=0.004)
    assert step.dy == pytest.approx(top / 216, abs=0.004)
    assert measure_step(_gray(textured(left, top)), _gray(textured()), 0.1).dx == pytest.approx(
        -left / 384, abs=0.004
    )


@pytest.mark.parametrize("zoom", [0.05, -0.05])
def test_a_zoom_is_the_growth_of_the_picture_and_no_shift(zoom: float) -> None:
    older = _gray(textured())
    width, height = CAMERA_SIZE
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), 0, 1 + zoom)
    newer = np.asarray(cv2.warpAffine(older, matrix, CAMERA_SIZE, borderMode=cv2.BORDER_REFLECT), np.uint8)
    step = measure_step(older, newer, 0.1)
    assert step.zoom == pytest.approx(zoom, abs=0.01)
    assert (step.dx, step.dy) == pytest.approx((0, 0), abs=0.01)


def test_something_that_moves_before_a_still_camera_is_activity() -> None:
    older, newer = textured().copy(), textured().copy()
    thing = textured(seed=9)[:80, :120]
    older[60:140, 100:220] = thing
    newer[60:140, 112:232] = thing
    step = measure_step(_gray(older), _gray(newer), 0.1)
    assert step.reliable
    assert step.dx == pytest.approx(0, abs=0.005)
    assert 0.05 < step.activity < 0.6


def test_a_plain_picture_and_a_new_one_cannot_be_measured() -> None:
    plain = np.full(CAMERA_SIZE[::-1], 90, np.uint8)
    assert measure_step(plain, plain, 0.1) == Step(0.1)
    assert not measure_step(_gray(textured()), plain, 0.1).reliable
    assert not measure_step(_gray(textured()), _gray(textured(seed=9)), 0.1).reliable


def _step(dx: float, *, seconds: float = 0.1, reliable: bool = True, activity: float = 0.0) -> Step:
    return Step(seconds, dx, reliable=reliable, activity=activity)


def test_steps_add_up_to_a_speed_a_second() -> None:
    total = summarise([_step(0.01, activity=0.2), _step(0.03, activity=0.4)])
    assert total is not None
    assert total.dx == pytest.approx(0.2)
    assert total.activity == pytest.approx(0.3)
    assert total.seconds == pytest.approx(0.2)


def test_a_summary_needs_half_of_the_time_measured() -> None:
    good, bad = _step(0.01), _step(0.0, reliable=False)
    assert summarise([good, bad]) is not None
    assert summarise([good, bad, bad]) is None
    assert summarise([]) is None


def test_unreliable_steps_do_not_slow_the_camera_down() -> None:
    total = summarise([_step(0.01), _step(0.0, reliable=False)])
    assert total is not None
    assert total.dx == pytest.approx(0.1)


def test_a_steady_pan_does_not_shake_and_a_jitter_does() -> None:
    assert shake([_step(0.01)] * 5) == pytest.approx(0)
    assert shake([_step(0.01 * (-1) ** n) for n in range(5)]) == pytest.approx(0.2)
    assert shake([_step(0.01)]) == 0
    assert shake([]) == 0
