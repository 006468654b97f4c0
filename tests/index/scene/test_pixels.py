"""Measurements of a frame's pixels on pictures whose light, sky and ground are known."""

from __future__ import annotations

import numpy as np
import pytest

from vidence.index.scene.pixels import PixelFacts, read_pixels
from vidence.schema.perception import Rgb

Colour = tuple[int, int, int]
BLUE, PALE, WARM = (90, 150, 230), (210, 212, 215), (230, 120, 60)
GREEN, GREY, WHITE = (70, 130, 40), (110, 110, 110), (240, 240, 240)


def _noisy(colour: Colour, shape: tuple[int, int] = (90, 320), *, grain: int = 25) -> Rgb:
    noise = np.random.default_rng(1).integers(-grain, grain + 1, (*shape, 1))
    return np.clip(np.array(colour) + noise, 0, 255).astype(np.uint8)


def _scene(sky: Colour, ground: Colour) -> PixelFacts:
    top = np.full((90, 320, 3), sky, np.uint8)
    return read_pixels(np.concatenate([top, _noisy(ground)]))


@pytest.mark.parametrize("level", [0, 51, 255])
def test_brightness_is_the_mean_luma(level: int) -> None:
    facts = read_pixels(np.full((90, 160, 3), level, np.uint8))
    assert facts.brightness == pytest.approx(level / 255, abs=0.01)
    assert facts.contrast == pytest.approx(0, abs=0.01)
    assert facts.colourful == pytest.approx(0, abs=0.01)


def test_the_dark_share_counts_nearly_black_pixels() -> None:
    half = np.zeros((90, 160, 3), np.uint8)
    half[:, 80:] = 200
    facts = read_pixels(half)
    assert facts.dark == pytest.approx(0.5, abs=0.02)
    assert facts.contrast == pytest.approx(100 / 255, abs=0.02)


def test_a_blue_a_pale_and_a_warm_sky_are_told_apart() -> None:
    blue, pale, warm = (_scene(sky, GREY) for sky in (BLUE, PALE, WARM))
    for facts in (blue, pale, warm):
        assert facts.sky == pytest.approx(0.5, abs=0.05)
    assert blue.blue_sky == pytest.approx(0.5, abs=0.05)
    assert warm.warm_sky == pytest.approx(0.5, abs=0.05)
    assert (pale.blue_sky, pale.warm_sky, blue.warm_sky, warm.blue_sky) == pytest.approx((0,) * 4, abs=0.02)


def test_sky_reaches_down_from_the_top_and_is_smooth() -> None:
    upside_down = np.concatenate([_noisy(GREY), np.full((90, 320, 3), BLUE, np.uint8)])
    assert read_pixels(upside_down).sky == 0
    narrow = _noisy(GREY, (180, 320))
    narrow[:90, 120:180] = BLUE
    assert read_pixels(narrow).sky == 0, "a window is not as wide as the sky"


def test_blue_below_the_sky_is_water() -> None:
    lake = np.concatenate([_noisy(GREY), np.full((90, 320, 3), BLUE, np.uint8)])
    assert read_pixels(lake).water > 0.9
    assert _scene(BLUE, GREY).water < 0.05


def test_greenery_is_measured_in_all_and_on_the_ground() -> None:
    meadow = _scene(BLUE, GREEN)
    assert meadow.greenery == pytest.approx(0.5, abs=0.05)
    assert meadow.ground_green == pytest.approx(1.0, abs=0.05)
    assert _scene(BLUE, GREY).greenery < 0.02


def test_snow_and_paving_are_pale_and_dull_ground() -> None:
    snow, street = _scene(BLUE, WHITE), _scene(BLUE, GREY)
    assert snow.white_ground > 0.9 > street.white_ground
    assert street.grey_ground > 0.9 > snow.grey_ground


def test_a_slide_is_flat_and_a_grainy_wall_is_not() -> None:
    slide = np.full((180, 320, 3), 250, np.uint8)
    slide[60:70, 40:200:8] = 20
    assert read_pixels(slide).flat > 0.7
    assert read_pixels(_noisy(GREY, (180, 320), grain=60)).flat < 0.2


def test_the_size_of_the_picture_does_not_matter() -> None:
    small = np.concatenate([np.full((45, 160, 3), BLUE, np.uint8), np.full((45, 160, 3), GREEN, np.uint8)])
    large = np.repeat(np.repeat(small, 4, axis=0), 4, axis=1)
    assert read_pixels(large) == read_pixels(small)


def test_a_smooth_green_wall_is_no_greenery() -> None:
    wall = read_pixels(np.full((180, 320, 3), GREEN, np.uint8))
    grass = read_pixels(_noisy(GREEN, (180, 320)))
    assert wall.greenery < 0.05
    assert grass.greenery > 0.9
