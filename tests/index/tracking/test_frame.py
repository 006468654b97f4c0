"""One frame for the tracker: objects named twice are dropped, colours measured, the camera compared."""

from __future__ import annotations

import numpy as np
import pytest

from tests.index.pictures import decoded, textured
from vidence.index.camera import CAMERA_SIZE
from vidence.index.tracking.frame import FrameDetections, camera_step, colour_histogram, timed_boxes
from vidence.schema.perception import Box, Detection, Rgb

WHOLE = Box(0.0, 0.0, 1.0, 1.0)


def _plain(*colour: int) -> Rgb:
    return np.full((60, 40, 3), colour, np.uint8)


def _likeness(a: Rgb, b: Rgb) -> float:
    return float(colour_histogram(a, WHOLE) @ colour_histogram(b, WHOLE))


def test_the_same_colours_are_alike_and_others_are_not() -> None:
    red, blue = _plain(220, 30, 30), _plain(30, 30, 220)
    assert _likeness(red, red) == pytest.approx(1.0, abs=1e-5)
    assert _likeness(red, blue) < 0.1


def test_a_slight_change_of_light_or_hue_changes_little() -> None:
    assert _likeness(_plain(220, 30, 30), _plain(200, 40, 30)) > 0.95
    assert _likeness(_plain(120, 120, 120), _plain(130, 130, 130)) > 0.9


def test_hues_at_the_ends_of_the_circle_are_neighbours() -> None:
    assert _likeness(_plain(220, 30, 40), _plain(220, 40, 30)) > 0.95


def test_a_shirt_and_trousers_are_not_trousers_and_a_shirt() -> None:
    upright = np.concatenate([_plain(220, 30, 30)] * 2 + [_plain(30, 30, 220)] * 2)
    assert _likeness(upright, upright[::-1]) < 0.5


def test_the_background_at_the_sides_does_not_count() -> None:
    green, red = _plain(30, 200, 30), _plain(220, 30, 30)
    framed = green.copy()
    framed[:, 6:34] = red[:, 6:34]
    assert _likeness(framed, red) > 0.98


def _take(found: list[Detection], image: Rgb, *, time_s: float = 0.0, crops: bool = False) -> FrameDetections:
    return FrameDetections.take(decoded(image, time_s), lambda _: found, with_crops=crops)


CAR = Detection("car", 0.9, Box(0.1, 0.1, 0.4, 0.4))


def test_one_object_under_two_names_of_a_group_is_taken_once() -> None:
    truck = Detection("truck", 0.8, Box(0.1, 0.1, 0.42, 0.4))
    person = Detection("person", 0.7, Box(0.1, 0.1, 0.4, 0.4))
    elsewhere = Detection("truck", 0.6, Box(0.6, 0.1, 0.3, 0.4))
    frame = _take([CAR, truck, person, elsewhere], textured())
    assert frame.found == (CAR, person, elsewhere)
    assert len(frame.colours) == 3
    assert frame.crops is None
    assert frame.gray.shape == CAMERA_SIZE[::-1]


def test_crops_are_small_and_keep_their_shape() -> None:
    tall = Detection("person", 0.9, Box(0.0, 0.0, 0.25, 1.0))
    frame = _take([tall, CAR], np.repeat(np.repeat(textured(), 2, axis=0), 2, axis=1), crops=True)
    assert frame.crops is not None
    assert max(frame.crops[0].shape[:2]) == 192
    assert frame.crops[0].shape[1] / frame.crops[0].shape[0] == pytest.approx(192 / 432, abs=0.02)


def test_a_frame_can_be_reduced_to_one_category() -> None:
    person = Detection("person", 0.7, Box(0.6, 0.1, 0.2, 0.8))
    frame = _take([CAR, person], textured(), crops=True)
    only = frame.only("person")
    assert only.found == (person,)
    assert len(only.colours) == 1
    assert only.colours[0] is frame.colours[1]
    assert only.crops is not None
    assert len(only.crops) == 1
    assert frame.only("dog").found == ()


def test_the_tracker_gets_each_detection_with_its_colours_and_crop() -> None:
    frame = _take([CAR], textured(), time_s=3.0, crops=True)
    (box,) = timed_boxes(frame)
    assert (box.time_s, box.box, box.confidence, box.category) == (3.0, CAR.box, 0.9, "car")
    assert box.colours is frame.colours[0]
    assert box.crop is not None
    (bare,) = timed_boxes(_take([CAR], textured()))
    assert bare.crop is None


def test_the_camera_is_measured_between_two_frames_with_texture() -> None:
    older, newer = _take([], textured()), _take([], textured(8), time_s=0.1)
    step = camera_step(older, newer)
    assert step is not None
    assert step.dx == pytest.approx(8 / 384, abs=0.004)
    assert step.dy == pytest.approx(0.0, abs=0.004)
    assert camera_step(None, newer) is None
    plain = _take([], np.full((216, 384, 3), 90, np.uint8))
    assert camera_step(plain, plain) is None
