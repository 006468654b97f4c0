"""Look at a wide or tall picture in squares too: squeezed into one, thin things are hard to see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from vidence.models.protocols import Detector
from vidence.models.vision.boxes import merge_detections
from vidence.schema.perception import Box, Detection, Rgb

__all__ = ["SquaresDetector"]

_OVERLAP = 0.15
"""How much of a square its neighbour also shows, at least."""
_NEARLY_SQUARE = 0.8
_MIN_SHARE = 0.1
"""How short a look may be along the long side: a strip thirty times as long as wide would need forty."""
_EDGE = 0.01


class SquaresDetector:
    """Adds square looks along the long side; costs three looks at 16:9 and one at a square picture."""

    def __init__(self, inner: Detector) -> None:
        self._inner = inner
        self.model_id = f"{inner.model_id}+squares"

    @property
    def categories(self) -> Sequence[str]:
        """What the inner detector can name."""
        return self._inner.categories

    def detect(self, images: Sequence[Rgb]) -> list[list[Detection]]:
        """Return the objects of each picture, the surest first, those seen twice merged."""
        whole = self._inner.detect(images)
        return [self.complete(image, found) for image, found in zip(images, whole, strict=True)]

    def complete(self, image: Rgb, whole: Sequence[Detection]) -> list[Detection]:
        """Add what the squares show to what the `whole` picture showed."""
        squares = list(_layout(image))
        looks = self._inner.detect([square.crop(image) for square in squares])
        found = list(whole)
        for square, local in zip(squares, looks, strict=True):
            found += [_place(one, square) for one in local if not _cut_off(one.box, square)]
        # A square may see only a part of something wide, hence `inside`.
        return merge_detections(found, iou=0.45, inside=0.8)


def _layout(image: Rgb) -> Iterator[Box]:
    height, width = image.shape[:2]
    share = max(min(height, width) / max(height, width), _MIN_SHARE)
    if share > _NEARLY_SQUARE:
        return
    count = max(2, ceil((1 - share) / (share * (1 - _OVERLAP))) + 1)
    for start in (index * (1 - share) / (count - 1) for index in range(count)):
        yield Box(start, 0.0, share, 1.0) if width > height else Box(0.0, start, 1.0, share)


def _cut_off(box: Box, square: Box) -> bool:
    """Say whether `box` runs into an edge of `square` that is not an edge of the picture."""
    return (
        (box.x <= _EDGE and square.x > 0)
        or (box.y <= _EDGE and square.y > 0)
        or (box.x + box.w >= 1 - _EDGE and square.x + square.w < 1 - _EDGE)
        or (box.y + box.h >= 1 - _EDGE and square.y + square.h < 1 - _EDGE)
    )


def _place(found: Detection, square: Box) -> Detection:
    box = found.box
    moved = Box(square.x + box.x * square.w, square.y + box.y * square.h, box.w * square.w, box.h * square.h)
    return Detection(found.category, found.confidence, moved)
