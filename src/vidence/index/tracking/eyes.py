"""What the tracker is shown of one frame: its detections, their colours, and what the camera did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.index.camera import CAMERA_SIZE, measure_step
from vidence.index.pipeline.look import LOOK_SIDE
from vidence.index.tracking.looks import colour_look
from vidence.index.tracking.motion import CameraStep
from vidence.index.tracking.tracker import Seen, group_of
from vidence.media import Picture
from vidence.schema.perception import Detection, FloatArray, Rgb

__all__ = ["Glance", "camera_step", "sightings"]

_CROP_SIDE = 192
_TWICE = 0.65
"""Boxes of one group that overlap this much are one thing under two names."""


@dataclass(frozen=True)
class Glance:
    """One frame as the tracker gets it."""

    time_s: float
    found: tuple[Detection, ...]
    looks: tuple[FloatArray, ...]
    gray: NDArray[np.uint8]
    crops: tuple[Rgb, ...] | None = None

    @classmethod
    def take(
        cls, picture: Picture, find: Callable[[Rgb], list[Detection]], *, with_crops: bool = False
    ) -> Glance:
        """Look at a picture; `find` finds the things in it."""
        image = picture.rgb(max_side=LOOK_SIDE)
        found = tuple(_once(find(image)))
        return cls(
            picture.time_s,
            found,
            tuple(colour_look(image, one.box) for one in found),
            picture.gray(size=CAMERA_SIZE),
            tuple(_crop(image, one) for one in found) if with_crops else None,
        )

    def only(self, category: str) -> Glance:
        """Return the same glance with the things of one category."""
        kept = [index for index, one in enumerate(self.found) if one.category == category]
        return replace(
            self,
            found=tuple(self.found[index] for index in kept),
            looks=tuple(self.looks[index] for index in kept),
            crops=None if self.crops is None else tuple(self.crops[index] for index in kept),
        )


def sightings(glance: Glance) -> list[Seen]:
    """Return the detections as the tracker wants them."""
    crops = glance.crops or (None,) * len(glance.found)
    return [
        Seen(glance.time_s, one.box, one.confidence, one.category, look, crop)
        for one, look, crop in zip(glance.found, glance.looks, crops, strict=True)
    ]


def camera_step(older: Glance | None, newer: Glance) -> CameraStep | None:
    """Return what the camera did between two glances; None when it cannot be told."""
    if older is None:
        return None
    step = measure_step(older.gray, newer.gray, newer.time_s - older.time_s)
    return CameraStep(step.dx, step.dy, step.zoom) if step.reliable else None


def _once(found: list[Detection]) -> list[Detection]:
    """Drop what was found twice under names that are easily confused; the surest come first."""
    kept: list[Detection] = []
    for one in found:
        group = group_of(one.category)
        if not any(group_of(other.category) == group and other.box.iou(one.box) >= _TWICE for other in kept):
            kept.append(one)
    return kept


def _crop(image: Rgb, found: Detection) -> Rgb:
    crop = found.box.crop(image)
    scale = min(1.0, _CROP_SIDE / max(crop.shape[:2]))
    size = (max(1, round(crop.shape[1] * scale)), max(1, round(crop.shape[0] * scale)))
    return np.asarray(cv2.resize(crop, size, interpolation=cv2.INTER_AREA), np.uint8)
