"""Pictures as JPEG keep their colours, their proportions and their bytes."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vidence.media.jpeg import encode_jpeg
from vidence.schema.perception import Rgb


def _decoded(data: bytes) -> Rgb:
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    return np.asarray(image[..., ::-1], np.uint8)


def test_red_stays_red() -> None:
    image = np.zeros((48, 64, 3), np.uint8)
    image[..., 0] = 200
    assert _decoded(encode_jpeg(image)).reshape(-1, 3).mean(axis=0) == pytest.approx((200, 0, 0), abs=4)


@pytest.mark.parametrize(
    ("size", "max_side", "shown"),
    [
        ((100, 200), None, (100, 200)),
        ((100, 200), 400, (100, 200)),
        ((100, 200), 50, (25, 50)),
        ((1000, 2), 100, (100, 1)),
    ],
)
def test_only_large_pictures_are_scaled_down(
    size: tuple[int, int], max_side: int | None, shown: tuple[int, int]
) -> None:
    assert _decoded(encode_jpeg(np.zeros((*size, 3), np.uint8), max_side=max_side)).shape[:2] == shown


def test_lower_quality_takes_fewer_bytes() -> None:
    noise = np.random.default_rng(1).integers(0, 255, (64, 64, 3), dtype=np.uint8)
    assert len(encode_jpeg(noise, quality=30)) < len(encode_jpeg(noise))
    assert encode_jpeg(noise) == encode_jpeg(noise.copy())
