"""The objects of one frame in detail: detection on the whole picture first, then on tiles if needed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from vidence.index.pipeline.frame import AnalysedFrame
from vidence.models.shelf import ModelShelf
from vidence.models.vision.attributes import clothing_colours, describe, object_colours
from vidence.models.vision.boxes import is_group
from vidence.models.vision.tiles import SquaresDetector, TiledDetector, shows_small_things
from vidence.queries.objects.match import Measured
from vidence.schema.perception import BodyPose, Detection, Rgb

__all__ = ["CLOSE_SIDE", "FrameObjects"]

CLOSE_SIDE = 1600
"""Longest side a frame is decoded at; tiles of it still exceed the detector's input size."""

_GRID = 2
_SURE = 0.5
_TILE_SURE, _TILE_SURE_THING = 0.4, 0.7
"""Least confidence of a tile detection: of a queried object or a person, and of anything else.

Where something large was found too, all need the higher one: there many small things are no more than specks.
"""
_SMALL_AREA = 0.05
"""Largest area of a tile detection that is trusted; of larger objects a tile may show only a part."""
_MIN_PERSON_HEIGHT = 0.12
_ONE_THING = 0.75
"""IoU from which two boxes are one object with two names; a query for either name still finds it."""
_SAME = 0.45
_WITHIN = 0.6


class FrameObjects:
    """The objects of one frame, detected on demand.

    Args:
        worn: whether to tell what the people wear, which takes about 40 ms a person.
    """

    def __init__(self, time_s: float, image: Rgb, shelf: ModelShelf, *, worn: bool = False) -> None:
        self._look = AnalysedFrame(time_s, image, shelf)
        self._shelf, self._with_worn = shelf, worn
        self.models: list[str] = []
        """Ids of the models used so far."""

    @property
    def image(self) -> Rgb:
        return self._look.image

    def find(self, categories: frozenset[str] | None = None) -> list[Detection]:
        """Return the objects of `categories` (all if None), the most confident first."""
        found = _of(self._squares, categories)
        return _once(_joined(found, self._smaller(found, categories)))

    def measure(self, found: Detection) -> Measured:
        """Measure the attributes and colours of one object."""
        image = self._look.balanced
        pose = self._pose(found) if found.category == "person" else None
        attributes = describe(self._look.image, found, pose=pose, balanced=image)
        if found.category != "person":
            return Measured(found, attributes, body=object_colours(image, found.box))
        upper, lower = clothing_colours(image, found.box, pose=pose)
        return Measured(found, {**attributes, **self._worn(found, pose)}, upper=upper, lower=lower)

    def _worn(self, found: Detection, pose: BodyPose | None) -> dict[str, str]:
        if not self._with_worn or found.box.h < _MIN_PERSON_HEIGHT:
            return {}
        reader = self._shelf.worn
        self._asked(reader.model_id)
        worn = reader.read(self._look.image, found.box, pose)
        ties = [one.box for one in _of(self._squares, frozenset({"tie"}))]
        if worn.get("tie") == "tie" and not any(tie.overlap(found.box) > _WITHIN * tie.area for tie in ties):
            # A coloured shirt in an open jacket looks like one; two models seldom err together.
            del worn["tie"]
        return worn

    def _pose(self, found: Detection) -> BodyPose | None:
        if found.box.h < _MIN_PERSON_HEIGHT:
            return None
        self._asked(self._shelf.pose.model_id)
        return self._shelf.pose.estimate([self._look.image], [found.box])[0]

    @cached_property
    def _small(self) -> list[Detection]:
        """Trusted detections from tiles."""
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

    def _smaller(self, found: Sequence[Detection], categories: frozenset[str] | None) -> list[Detection]:
        """Return what tiles show, where nothing large was found or there are several small things."""
        if isinstance(self._shelf.detector, TiledDetector):
            return []
        if not any(one.confidence >= _SURE and one.box.area >= _SMALL_AREA for one in found):
            return [one for one in _of(self._small, categories) if _is_likely(one, categories)]
        if not shows_small_things(self._squares):
            return []
        return [one for one in _of(self._small, categories) if one.confidence >= _TILE_SURE_THING]


def _is_likely(found: Detection, asked: frozenset[str] | None) -> bool:
    """Return whether to trust a detection that only a tile shows."""
    return asked is not None or found.category == "person" or found.confidence >= _TILE_SURE_THING


def _of(found: Sequence[Detection], categories: frozenset[str] | None) -> list[Detection]:
    return [one for one in found if categories is None or one.category in categories]


def _once(found: Sequence[Detection]) -> list[Detection]:
    """Drop second names of an object detected with more confidence, and boxes around groups."""
    kept: list[Detection] = []
    for one in found:
        # A person on a chair overlaps it but is not a second name for it.
        renamed = one.category != "person" and any(one.box.iou(each.box) >= _ONE_THING for each in kept)
        if not renamed and not is_group(one, kept):
            kept.append(one)
    return kept


def _joined(whole: Sequence[Detection], small: Sequence[Detection]) -> list[Detection]:
    """Add the detections that only tiles show; of duplicates keep the more confident box."""
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
