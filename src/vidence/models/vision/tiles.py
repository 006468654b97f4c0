"""Detectors that also look at parts of a picture, where small or thin objects are easier to see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from vidence.models.protocols import Detector
from vidence.models.vision.boxes import merge_detections
from vidence.schema.perception import Box, Detection, Rgb

__all__ = ["SquaresDetector", "TiledDetector", "shows_small_things"]

_EDGE = 0.01
_TILE_OVERLAP = 0.25
_MAX_SIDE = 0.5
_SQUARE_OVERLAP = 0.15
"""How much of a square its neighbour also shows, at least."""
_NEARLY_SQUARE = 0.8
_MIN_SHARE = 0.1
"""The shortest square along the long side: a strip thirty times as long as wide would need forty squares."""
_SMALL, _SEVERAL = 0.03, 3
"""Share of the picture below which a thing is small, and how many small ones call for a closer look."""


def shows_small_things(found: Sequence[Detection]) -> bool:
    """Say whether a picture shows several small things, as from above or afar: then parts of it show more."""
    return sum(one.box.area < _SMALL for one in found) >= _SEVERAL


class TiledDetector:
    """Adds a grid of tiles to any detector; costs 1 + grid² times as much."""

    def __init__(self, inner: Detector, *, grid: int = 2) -> None:
        self._inner = inner
        self._tiles = list(_grid(grid))
        self.model_id = f"{inner.model_id}+tiles{grid}"

    @property
    def categories(self) -> Sequence[str]:
        """The categories of the inner detector."""
        return self._inner.categories

    def detect(self, images: Sequence[Rgb]) -> list[list[Detection]]:
        """Return the objects of each picture, the surest first, those seen twice merged."""
        return [self._detect_one(image) for image in images]

    def _detect_one(self, image: Rgb) -> list[Detection]:
        [whole] = self._inner.detect([image])
        found = _detect_parts(self._inner, image, self._tiles)
        small = [one for one, local in found if local.w <= _MAX_SIDE and local.h <= _MAX_SIDE]
        # A tile may see only a part of something big, so it adds but never replaces.
        news = [one for one in merge_detections(small, iou=0.45, inside=0.7) if not _known(one, whole)]
        return sorted([*whole, *news], key=lambda found: -found.confidence)


class SquaresDetector:
    """Adds squares along the long side of a wide or tall picture: three at 16:9, none at a square one."""

    def __init__(self, inner: Detector) -> None:
        self._inner = inner
        self.model_id = f"{inner.model_id}+squares"

    @property
    def categories(self) -> Sequence[str]:
        """The categories of the inner detector."""
        return self._inner.categories

    def detect(self, images: Sequence[Rgb]) -> list[list[Detection]]:
        """Return the objects of each picture, the surest first, those seen twice merged."""
        whole = self._inner.detect(images)
        return [self.complete(image, found) for image, found in zip(images, whole, strict=True)]

    def complete(self, image: Rgb, whole: Sequence[Detection]) -> list[Detection]:
        """Add what the squares show to what the `whole` picture showed."""
        found = [one for one, _ in _detect_parts(self._inner, image, list(_squares(image)))]
        # A square may see only a part of something wide, hence `inside`.
        return merge_detections([*whole, *found], iou=0.45, inside=0.8)


def _grid(size: int) -> Iterator[Box]:
    side = 1 / (size - (size - 1) * _TILE_OVERLAP)
    step = side * (1 - _TILE_OVERLAP)
    for row in range(size):
        for column in range(size):
            yield Box(column * step, row * step, side, side)


def _squares(image: Rgb) -> Iterator[Box]:
    height, width = image.shape[:2]
    share = max(min(height, width) / max(height, width), _MIN_SHARE)
    if share > _NEARLY_SQUARE:
        return
    count = max(2, ceil((1 - share) / (share * (1 - _SQUARE_OVERLAP))) + 1)
    for start in (index * (1 - share) / (count - 1) for index in range(count)):
        yield Box(start, 0.0, share, 1.0) if width > height else Box(0.0, start, 1.0, share)


def _detect_parts(detector: Detector, image: Rgb, parts: Sequence[Box]) -> Iterator[tuple[Detection, Box]]:
    """Yield what each part shows whole: the detection in the picture, and its box within the part."""
    looks = detector.detect([part.crop(image) for part in parts])
    for part, local in zip(parts, looks, strict=True):
        for one in local:
            box = one.box
            if not _cut_off(box, part):
                moved = Box(part.x + box.x * part.w, part.y + box.y * part.h, box.w * part.w, box.h * part.h)
                yield Detection(one.category, one.confidence, moved), box


def _known(one: Detection, seen: Sequence[Detection]) -> bool:
    """Say whether a tile found again, or found a part of, what the whole picture showed."""
    for other in seen:
        shared = one.box.overlap(other.box)
        smaller = min(one.box.area, other.box.area)
        same = one.category == other.category
        if shared > 0 and (shared / smaller >= 0.5 if same else one.box.iou(other.box) >= 0.6):
            return True
    return False


def _cut_off(box: Box, part: Box) -> bool:
    """Say whether `box` runs into an edge of `part` that is not an edge of the picture."""
    return (
        (box.x <= _EDGE and part.x > _EDGE)
        or (box.y <= _EDGE and part.y > _EDGE)
        or (box.x + box.w >= 1 - _EDGE and part.x + part.w < 1 - _EDGE)
        or (box.y + box.h >= 1 - _EDGE and part.y + part.h < 1 - _EDGE)
    )
