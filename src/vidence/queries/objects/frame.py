"""The objects of one frame, looked at closely: whole picture first, then tiles where that helps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from vidence.index.pipeline.frame import AnalysedFrame
from vidence.models.shelf import ModelShelf
from vidence.models.vision.attributes import clothing_colours, describe, object_colours
from vidence.models.vision.boxes import is_group
from vidence.models.vision.tiles import SquaresDetector, TiledDetector
from vidence.queries.objects.match import Measured
from vidence.schema.perception import BodyPose, Detection, Rgb

__all__ = ["CLOSE_SIDE", "FrameObjects"]

CLOSE_SIDE = 1600
"""Longest side a frame is decoded at: tiles of it still have more pixels than the detector takes."""

_GRID = 2
_SURE = 0.5
_TILE_SURE, _TILE_SURE_THING = 0.4, 0.7
"""Close up, any pale speck is a ball: of 14 things below the second limit, not asked for, none was there."""
_SMALL_AREA = 0.05
"""Tiles are trusted for things this small; of bigger ones a tile may show only a part."""
_MIN_PERSON_HEIGHT = 0.12
_ONE_THING = 0.75
"""Boxes that overlap this much are one thing with two names; asked for by either, it is still found."""
_SAME = 0.45
_WITHIN = 0.6


class FrameObjects:
    """What is in one frame."""

    def __init__(self, time_s: float, image: Rgb, shelf: ModelShelf) -> None:
        self._look = AnalysedFrame(time_s, image, shelf)
        self._shelf = shelf
        self.models: list[str] = []
        """Ids of the models asked so far."""

    @property
    def image(self) -> Rgb:
        return self._look.image

    def find(self, categories: frozenset[str] | None = None) -> list[Detection]:
        """Return the objects of `categories` (of all, when None), the surest first."""
        found = _of(self._squares, categories)
        if self._tiles_help(found):
            small = [one for one in _of(self._small, categories) if _is_likely(one, categories)]
            found = _joined(found, small)
        return _once(found)

    def measure(self, found: Detection) -> Measured:
        """Say what can be told of one object from its pixels."""
        image = self._look.balanced
        pose = self._pose(found) if found.category == "person" else None
        attributes = describe(self._look.image, found, pose=pose, balanced=image)
        if found.category != "person":
            return Measured(found, attributes, body=object_colours(image, found.box))
        upper, lower = clothing_colours(image, found.box, pose=pose)
        return Measured(found, attributes, upper=upper, lower=lower)

    def _pose(self, found: Detection) -> BodyPose | None:
        if found.box.h < _MIN_PERSON_HEIGHT:
            return None
        self._asked(self._shelf.pose.model_id)
        return self._shelf.pose.estimate([self._look.image], [found.box])[0]

    @cached_property
    def _small(self) -> list[Detection]:
        """What tiles show and can be trusted for."""
        tiled = TiledDetector(self._shelf.detector, grid=_GRID)
        self._asked(tiled.model_id)
        found = tiled.detect([self._look.image])[0]
        return [one for one in found if one.box.area < _SMALL_AREA and one.confidence >= _TILE_SURE]

    @cached_property
    def _squares(self) -> list[Detection]:
        squares = SquaresDetector(self._shelf.detector)
        self._asked(squares.model_id)
        return squares.detect([self._look.image])[0]

    def _asked(self, model_id: str) -> None:
        if model_id not in self.models:
            self.models.append(model_id)

    def _tiles_help(self, found: Sequence[Detection]) -> bool:
        if isinstance(self._shelf.detector, TiledDetector):
            return False
        return not any(one.confidence >= _SURE and one.box.area >= _SMALL_AREA for one in found)


def _is_likely(found: Detection, asked: frozenset[str] | None) -> bool:
    """Say whether to tell what a tile alone shows: people, what was asked for, and sure things."""
    return asked is not None or found.category == "person" or found.confidence >= _TILE_SURE_THING


def _of(found: Sequence[Detection], categories: frozenset[str] | None) -> list[Detection]:
    return [one for one in found if categories is None or one.category in categories]


def _once(found: Sequence[Detection]) -> list[Detection]:
    """Leave out second names for what a surer find has named, and boxes around a group."""
    kept: list[Detection] = []
    for one in found:
        # Whoever sits on a chair is not the chair.
        renamed = one.category != "person" and any(one.box.iou(each.box) >= _ONE_THING for each in kept)
        if not renamed and not is_group(one, kept):
            kept.append(one)
    return kept


def _joined(whole: Sequence[Detection], small: Sequence[Detection]) -> list[Detection]:
    """Add what only the tiles saw; where both saw it, keep the surer box."""
    kept = list(whole)
    for one in small:
        rivals = [i for i, other in enumerate(kept) if other.category == one.category and _same(one, other)]
        if not rivals:
            kept.append(one)
        elif len(rivals) == 1 and one.box.iou(kept[rivals[0]].box) >= _SAME:
            kept[rivals[0]] = max(one, kept[rivals[0]], key=lambda each: each.confidence)
    return sorted(kept, key=lambda each: -each.confidence)


def _same(one: Detection, other: Detection) -> bool:
    overlap = one.box.overlap(other.box)
    return one.box.iou(other.box) >= _SAME or overlap >= _WITHIN * min(one.box.area, other.box.area)
