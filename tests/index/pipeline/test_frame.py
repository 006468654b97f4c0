"""A distinct frame: each model is asked once, and near-duplicates are skipped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vidence.index.pipeline.frame import AnalysedFrame, NearDuplicateFilter
from vidence.models.cache import ModelCache
from vidence.models.shelf import ModelShelf
from vidence.schema.perception import Box, Detection, Rgb

WIDTH, HEIGHT = NearDuplicateFilter.SIZE


def _gray(level: int = 100) -> NDArray[np.uint8]:
    return np.full((HEIGHT, WIDTH), level, np.uint8)


def test_the_first_frame_is_never_a_duplicate() -> None:
    assert not NearDuplicateFilter().is_duplicate(_gray())


def test_grain_is_a_duplicate_and_a_small_object_is_not() -> None:
    frames = NearDuplicateFilter()
    frames.is_duplicate(_gray())
    grain = np.random.default_rng(1).normal(0, 3, (HEIGHT, WIDTH))
    assert frames.is_duplicate((_gray() + grain).astype(np.uint8))
    walker = _gray()
    walker[20:24, 30:33] = 140
    assert not frames.is_duplicate(walker)


def test_one_bright_pixel_is_codec_noise() -> None:
    frames = NearDuplicateFilter()
    frames.is_duplicate(_gray())
    speck = _gray()
    speck[20, 30] = 150
    assert frames.is_duplicate(speck)


def test_a_slow_change_adds_up_until_it_counts() -> None:
    frames = NearDuplicateFilter()
    kept = [level for level in range(100, 131, 3) if not frames.is_duplicate(_gray(level))]
    assert kept == [100, 109, 118, 127], "each is compared with the last one kept, not with the one before"


class _Counting:
    """Finds one person and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, image: Rgb) -> list[Detection]:
        self.asked += 1
        return [Detection("dog", 0.9, Box(0.1, 0.1, 0.5, 0.5))]


@pytest.fixture
def shelf(tmp_path: Path) -> ModelShelf:
    return ModelShelf(ModelCache(tmp_path / "models"))


def test_objects_are_detected_once_and_only_when_needed(shelf: ModelShelf) -> None:
    detect = _Counting()
    frame = AnalysedFrame(1.5, np.zeros((90, 160, 3), np.uint8), shelf, detect=detect)
    assert detect.asked == 0
    assert frame.detections is frame.detections
    assert detect.asked == 1
    assert frame.time_s == 1.5


def test_the_aspect_is_width_over_height(shelf: ModelShelf) -> None:
    assert AnalysedFrame(0, np.zeros((90, 160, 3), np.uint8), shelf).aspect == pytest.approx(16 / 9)
    assert AnalysedFrame(0, np.zeros((160, 90, 3), np.uint8), shelf).aspect == pytest.approx(9 / 16)


def test_a_colour_cast_is_removed_for_naming_colours(shelf: ModelShelf) -> None:
    rng = np.random.default_rng(2)
    grey = rng.integers(40, 200, (90, 160, 1)) * np.array([1.0, 0.9, 0.75])
    frame = AnalysedFrame(0, np.clip(grey, 0, 255).astype(np.uint8), shelf)

    def cast(image: Rgb) -> float:
        red, _, blue = image.reshape(-1, 3).mean(axis=0)
        return float(red / blue)

    assert cast(frame.balanced) < cast(frame.image)
    assert frame.balanced is frame.balanced
