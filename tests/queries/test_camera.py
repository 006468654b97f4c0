"""The camera's motion on pictures moved by known amounts, and its framing from boxes of known size."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vidence.index.scene.pixels import read_pixels
from vidence.index.scene.place import SceneEvidence
from vidence.queries.camera import CAMERA_FRAME, camera_angle, camera_path, name_motion
from vidence.schema.perception import Box, Detection

Gray = NDArray[np.uint8]
WIDTH, HEIGHT = CAMERA_FRAME


def _world() -> Gray:
    rng = np.random.default_rng(3)
    coarse = rng.integers(30, 220, (36, 64), dtype=np.uint8)
    return np.asarray(cv2.resize(coarse, (WIDTH * 2, HEIGHT * 2), interpolation=cv2.INTER_CUBIC), np.uint8)


def _film(
    move: Callable[[float], tuple[float, float, float]], *, crossers: int = 0
) -> list[tuple[float, Gray]]:
    """Film the world for two seconds; `move` gives x, y and zoom at a time."""
    world, frames = _world(), []
    for n in range(11):
        time_s = n * 0.2
        x, y, zoom = move(time_s)
        matrix = np.array([[zoom, 0, WIDTH / 2 - zoom * (WIDTH + x * WIDTH)],
                           [0, zoom, HEIGHT / 2 - zoom * (HEIGHT + y * HEIGHT)]], np.float64)  # fmt: skip
        frame = np.asarray(cv2.warpAffine(world, matrix, CAMERA_FRAME, flags=cv2.INTER_LINEAR), np.uint8)
        for number in range(crossers):
            left = 20 + n * 22 if number == 0 else WIDTH - 10 - 90 * number - n * (4 + 3 * number)
            frame[30:, left : left + 70] = world[100 : 70 + HEIGHT, 230 + 70 * number : 300 + 70 * number]
        frames.append((time_s, frame))
    return frames


@pytest.mark.parametrize(
    ("move", "name"),
    [
        (lambda t: (0, 0, 1), "static"),
        (lambda t: (0.08 * t, 0, 1), "pan"),
        (lambda t: (-0.2 * t, 0.02 * t, 1), "pan"),
        (lambda t: (0, 0.08 * t, 1), "tilt"),
        (lambda t: (0, 0, 1 + 0.06 * t), "zoom"),
        (lambda t: (0, 0, 1.3 - 0.08 * t), "zoom"),
        (lambda t: (0.02 * np.sin(9 * t), 0.02 * np.cos(11 * t), 1), "handheld"),
    ],
    ids=["static", "pan", "fast pan", "tilt", "zoom in", "zoom out", "handheld"],
)
@pytest.mark.parametrize("crossers", [0, 1, 2, 3])
def test_the_motion_is_named(
    move: Callable[[float], tuple[float, float, float]], name: str, crossers: int
) -> None:
    path = camera_path(_film(move, crossers=crossers))
    assert path is not None
    assert name_motion(path) == name


def test_a_subject_that_stays_in_place_is_tracked() -> None:
    path = camera_path(_film(lambda t: (0.2 * t, 0, 1)))
    assert path is not None
    assert name_motion(path, subject_shift=0.01) == "tracking"
    assert name_motion(path, subject_shift=0.2) == "pan"
    assert path.dx == pytest.approx(0.2, abs=0.02)


def test_a_blank_picture_tells_nothing() -> None:
    blank = np.zeros((HEIGHT, WIDTH), np.uint8)
    assert camera_path([(n * 0.2, blank) for n in range(5)]) is None


def test_a_still_title_card_is_static() -> None:
    card = np.zeros((HEIGHT, WIDTH), np.uint8)
    cv2.putText(card, "END", (120, 100), cv2.FONT_HERSHEY_SIMPLEX, 1.5, 255, 3)
    path = camera_path([(n * 0.2, card) for n in range(5)])
    assert path is not None
    assert name_motion(path) == "static"


@pytest.mark.parametrize(
    ("category", "box", "name"),
    [
        ("person", Box(0.4, 0.3, 0.1, 0.35), "long_shot"),
        ("person", Box(0.4, 0.1, 0.25, 0.8), "full_shot"),
        ("cat", Box(0, 0, 0.9, 1), "close_up"),
        ("bird", Box(0.4, 0.4, 0.1, 0.1), "long_shot"),
        ("bicycle", Box(0.4, 0.1, 0.5, 0.7), "full_shot"),
        ("car", Box(0, 0.1, 1, 0.8), "medium_shot"),
    ],
)
def test_framing_follows_from_size(category: str, box: Box, name: str) -> None:
    found = [Detection(category, 0.9, box)]
    assert camera_angle(found, None, aspect=16 / 9, labels={}, sky=0) == name


def test_framing_of_nothing_known_is_not_known() -> None:
    assert camera_angle([], None, aspect=1.0, labels={}, sky=0) is None
    assert camera_angle([], None, aspect=1.0, labels={"alp": 0.5}, sky=0) == "long_shot"


def test_a_doubtful_thing_does_not_bring_a_landscape_near() -> None:
    found = [Detection("bear", 0.5, Box(0.2, 0.2, 0.7, 0.7))]
    assert camera_angle(found, None, aspect=16 / 9, labels={}, sky=0.5) == "long_shot"


def test_a_slide_or_a_plain_screen_has_no_framing() -> None:
    slide = np.full((180, 320, 3), 250, np.uint8)
    slide[60:70, 40:200:8] = 20
    for image in (slide, np.full((180, 320, 3), (220, 20, 20), np.uint8)):
        sky = SceneEvidence.gather([], {}, read_pixels(image)).sky
        assert camera_angle([], None, aspect=16 / 9, labels={}, sky=sky) is None
