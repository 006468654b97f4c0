"""One frame as the tracker gets it: detections, their colours and crops, and the camera's motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.index.camera import CAMERA_SIZE, measure_step
from vidence.index.pipeline.frame import FRAME_SIDE
from vidence.index.tracking.motion import CameraStep
from vidence.index.tracking.tracker import TimedBox, group_of
from vidence.media import DecodedFrame
from vidence.schema.perception import Box, Detection, FloatArray, Rgb

__all__ = ["FrameDetections", "camera_step", "timed_boxes"]

_CROP_SIDE = 192
_BANDS, _HUES, _GREYS = 3, 8, 4
_BAND_SIZE = (16, 48)
_MARGIN = 0.18
"""Share of the width left out at either side, where the background shows."""
_GREY_BELOW = 40.0
_DUPLICATE_IOU = 0.65
"""Boxes of one group that overlap this much are one object under two names."""


@dataclass(frozen=True)
class FrameDetections:
    """One frame as the tracker gets it."""

    time_s: float
    found: tuple[Detection, ...]
    colours: tuple[FloatArray, ...]
    gray: NDArray[np.uint8]
    crops: tuple[Rgb, ...] | None = None

    @classmethod
    def take(
        cls, picture: DecodedFrame, find: Callable[[Rgb], list[Detection]], *, with_crops: bool = False
    ) -> FrameDetections:
        """Detect the objects of a picture with `find`."""
        image = picture.rgb(max_side=FRAME_SIDE)
        found = tuple(_once(find(image)))
        return cls(
            picture.time_s,
            found,
            tuple(colour_histogram(image, one.box) for one in found),
            picture.gray(size=CAMERA_SIZE),
            tuple(_crop(image, one) for one in found) if with_crops else None,
        )

    def only(self, category: str) -> FrameDetections:
        """Return the same frame with the objects of one category only."""
        kept = [index for index, one in enumerate(self.found) if one.category == category]
        return replace(
            self,
            found=tuple(self.found[index] for index in kept),
            colours=tuple(self.colours[index] for index in kept),
            crops=None if self.crops is None else tuple(self.crops[index] for index in kept),
        )


def timed_boxes(frame: FrameDetections) -> list[TimedBox]:
    """Return the detections in the form the tracker takes."""
    crops = frame.crops or (None,) * len(frame.found)
    return [
        TimedBox(frame.time_s, one.box, one.confidence, one.category, colours, crop)
        for one, colours, crop in zip(frame.found, frame.colours, crops, strict=True)
    ]


def camera_step(older: FrameDetections | None, newer: FrameDetections) -> CameraStep | None:
    """Return the camera's motion between two frames; None when it cannot be measured."""
    if older is None:
        return None
    step = measure_step(older.gray, newer.gray, newer.time_s - older.time_s)
    return CameraStep(step.dx, step.dy, step.zoom) if step.reliable else None


def _once(found: list[Detection]) -> list[Detection]:
    """Drop objects detected twice under names that are easily confused; the most confident come first."""
    kept: list[Detection] = []
    for one in found:
        group = group_of(one.category)
        if not any(
            group_of(other.category) == group and other.box.iou(one.box) >= _DUPLICATE_IOU for other in kept
        ):
            kept.append(one)
    return kept


def _crop(image: Rgb, found: Detection) -> Rgb:
    crop = found.box.crop(image)
    scale = min(1.0, _CROP_SIDE / max(crop.shape[:2]))
    size = (max(1, round(crop.shape[1] * scale)), max(1, round(crop.shape[0] * scale)))
    return np.asarray(cv2.resize(crop, size, interpolation=cv2.INTER_AREA), np.uint8)


def colour_histogram(image: Rgb, box: Box) -> FloatArray:
    """Return the colours of a box in three bands, top to bottom, as a unit vector.

    The dot product of two is their likeness: 1 for the same colours.
    """
    inner = Box(box.x + box.w * _MARGIN, box.y, box.w * (1 - 2 * _MARGIN), box.h)
    small = cv2.resize(inner.crop(image), _BAND_SIZE, interpolation=cv2.INTER_AREA)
    hsv = cv2.cvtColor(small, cv2.COLOR_RGB2HSV).reshape(_BANDS, -1, 3).astype(np.float32)
    hue, vivid, light = hsv[..., 0] / 180 * _HUES, hsv[..., 1], hsv[..., 2] / 256 * _GREYS
    # A pixel counts as coloured in part, so that a slight change of light moves little.
    coloured = np.clip(vivid * hsv[..., 2] / 255 / (2 * _GREY_BELOW), 0, 1)
    bands = [
        np.concatenate(
            [
                _soft(hue[band], coloured[band], _HUES, wrap=True),
                _soft(light[band], 1 - coloured[band], _GREYS),
            ]
        )
        for band in range(_BANDS)
    ]
    # The root makes the product Bhattacharyya's coefficient.
    root = np.sqrt(np.concatenate(bands))
    return np.asarray(root / max(float(np.linalg.norm(root)), 1e-9), np.float32)


def _soft(values: FloatArray, weights: FloatArray, bins: int, *, wrap: bool = False) -> FloatArray:
    """Return a histogram in which each value is shared between its two nearest bins."""
    place = values - 0.5
    low = np.floor(place)
    part = place - low
    counts = np.zeros(bins, np.float32)
    for index, share in ((low, 1 - part), (low + 1, part)):
        index = index % bins if wrap else np.clip(index, 0, bins - 1)
        counts += np.bincount(index.astype(np.intp), weights * share, minlength=bins).astype(np.float32)
    return counts
