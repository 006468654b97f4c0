from __future__ import annotations

import cv2
import numpy as np
import pytest

from vidence.models.cache import ModelCache
from vidence.models.vision.text_finder import TextFinder
from vidence.schema.perception import Rgb


@pytest.fixture(scope="module")
def finder(model_cache: ModelCache) -> TextFinder:
    return TextFinder(model_cache.path("pp-ocr-v6-small", "detect"))


def written(text: str, at: tuple[int, int], size: float, thick: int) -> Rgb:
    image = np.full((720, 1280, 3), 60, np.uint8)
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, (245, 245, 245), thick, cv2.LINE_AA)
    return image


@pytest.mark.parametrize(("size", "thick"), [(0.4, 1), (1.0, 2), (6.0, 14)])
def test_letters_of_any_size_are_found_once(finder: TextFinder, size: float, thick: int) -> None:
    quads = finder.find(written("Platform", (60, 400), size, thick))
    lines = [quad for quad in quads if not quad.rivals]
    assert len(lines) == 1
    low, high = lines[0].corners.min(axis=0), lines[0].corners.max(axis=0)
    (width, height), _ = cv2.getTextSize("Platform", cv2.FONT_HERSHEY_SIMPLEX, size, thick)
    assert low[0] < 60 + height / 2
    assert high[0] > 60 + width - height / 2
    assert low[1] < 400 - height / 2 < high[1]


def test_lines_in_far_corners_have_their_own_places(finder: TextFinder) -> None:
    image = written("north", (20, 40), 0.8, 2)
    cv2.putText(image, "south", (1150, 690), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (245, 245, 245), 2, cv2.LINE_AA)
    middles = sorted(tuple(quad.corners.mean(axis=0)) for quad in finder.find(image))
    assert len(middles) == 2
    assert middles[0] == pytest.approx((54, 32), abs=12)
    assert middles[1] == pytest.approx((1190, 682), abs=14)


def test_nothing_is_found_in_an_empty_picture(finder: TextFinder) -> None:
    assert finder.find(np.full((720, 1280, 3), 60, np.uint8)) == []
