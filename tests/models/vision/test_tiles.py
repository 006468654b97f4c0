"""Looking in squares along the long side of a picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from vidence.models.vision.tiles import SquaresDetector
from vidence.schema.perception import Detection, Rgb


class _Looks:
    """A detector that finds nothing and notes what it was shown."""

    model_id = "looks"
    categories: Sequence[str] = ()

    def __init__(self) -> None:
        self.shapes: list[tuple[int, ...]] = []

    def detect(self, images: Sequence[Rgb]) -> list[list[Detection]]:
        self.shapes += [image.shape for image in images]
        return [[] for _ in images]


@pytest.mark.parametrize(
    ("height", "width", "looks"),
    [(540, 960, 3), (960, 540, 3), (500, 500, 1), (240, 960, 6), (960, 3, 13), (4, 960, 13), (1, 1, 1)],
)
def test_a_long_strip_takes_no_more_than_a_dozen_looks(height: int, width: int, looks: int) -> None:
    inner = _Looks()
    assert SquaresDetector(inner).detect([np.zeros((height, width, 3), np.uint8)]) == [[]]
    assert len(inner.shapes) == looks
    assert all(min(shape) > 0 for shape in inner.shapes)
