"""Look at a picture in overlapping tiles, so that small objects become big enough to be seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vidence.models.protocols import Detector
from vidence.models.vision.boxes import merge_detections
from vidence.schema.perception import Box, Detection, Rgb

__all__ = ["TiledDetector"]

_OVERLAP = 0.25
_EDGE = 0.01
_MAX_SIDE = 0.5


class TiledDetector:
    """Adds a grid of closer looks to any detector; costs 1 + grid² times as much."""

    def __init__(self, inner: Detector, *, grid: int = 2) -> None:
        self._inner = inner
        self._tiles = list(_layout(grid))
        self.model_id = f"{inner.model_id}+tiles{grid}"

    @property
    def categories(self) -> Sequence[str]:
        """What the inner detector can name."""
        return self._inner.categories

    def detect(self, images: Sequence[Rgb]) -> list[list[Detection]]:
        """Return the objects of each picture, the surest first, those seen twice merged."""
        return [self._detect_one(image) for image in images]

    def _detect_one(self, image: Rgb) -> list[Detection]:
        looks = self._inner.detect([image, *(tile.crop(image) for tile in self._tiles)])
        closer: list[Detection] = []
        for tile, local in zip(self._tiles, looks[1:], strict=True):
            closer += [
                _place(one, tile) for one in local if _is_small(one.box) and not _cut_off(one.box, tile)
            ]
        # A tile may see only a part of something big, so it adds but never replaces.
        news = [one for one in merge_detections(closer, iou=0.45, inside=0.7) if not _known(one, looks[0])]
        return sorted([*looks[0], *news], key=lambda found: -found.confidence)


def _layout(grid: int) -> Iterator[Box]:
    size = 1 / (grid - (grid - 1) * _OVERLAP)
    step = size * (1 - _OVERLAP)
    for row in range(grid):
        for column in range(grid):
            yield Box(column * step, row * step, size, size)


def _known(one: Detection, seen: Sequence[Detection]) -> bool:
    """Say whether a closer look found again, or found a part of, what the whole picture showed."""
    for other in seen:
        shared = one.box.overlap(other.box)
        smaller = min(one.box.area, other.box.area)
        same = one.category == other.category
        if shared > 0 and (shared / smaller >= 0.5 if same else one.box.iou(other.box) >= 0.6):
            return True
    return False


def _is_small(box: Box) -> bool:
    """Say whether a tile adds anything: what fills it was big enough to be seen whole."""
    return box.w <= _MAX_SIDE and box.h <= _MAX_SIDE


def _cut_off(box: Box, tile: Box) -> bool:
    """Say whether `box` runs into an edge of `tile` that is not an edge of the picture."""
    return (
        (box.x <= _EDGE and tile.x > _EDGE)
        or (box.y <= _EDGE and tile.y > _EDGE)
        or (box.x + box.w >= 1 - _EDGE and tile.x + tile.w < 1 - _EDGE)
        or (box.y + box.h >= 1 - _EDGE and tile.y + tile.h < 1 - _EDGE)
    )


def _place(found: Detection, tile: Box) -> Detection:
    box = found.box
    moved = Box(tile.x + box.x * tile.w, tile.y + box.y * tile.h, box.w * tile.w, box.h * tile.h)
    return Detection(found.category, found.confidence, moved)
