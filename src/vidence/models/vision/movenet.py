"""MoveNet Lightning: the embedded pose model, one person per crop."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from vidence.models.context import ModelContext
from vidence.models.runtime import LitePool
from vidence.schema.perception import BodyPose, Box, Keypoint, Rgb

__all__ = ["KEYPOINTS", "MoveNetPose", "build"]

MODEL = "movenet-lightning"
_PAIRED = ("eye", "ear", "shoulder", "elbow", "wrist", "hip", "knee", "ankle")
KEYPOINTS = ("nose", *(f"{side}_{part}" for part in _PAIRED for side in ("left", "right")))
_SIZE = 192
_MARGIN = 1.25
"""The model was trained with a margin around the person."""


class MoveNetPose:
    """Finds 17 joints of the person in each box."""

    model_id = MODEL

    def __init__(self, model: Path, *, threads: int = 1) -> None:
        self._pool = LitePool(model, threads=threads)

    def estimate(self, images: Sequence[Rgb], boxes: Sequence[Box | None]) -> list[BodyPose]:
        """Return one pose per picture, looking inside the box when one is given."""
        return [self._estimate_one(image, box) for image, box in zip(images, boxes, strict=True)]

    def _estimate_one(self, image: Rgb, box: Box | None) -> BodyPose:
        height, width = image.shape[:2]
        left, top, side = _square(box or Box(0, 0, 1, 1), width, height, _MARGIN if box else 1.0)
        crop = _cut(image, left, top, side)
        with self._pool.borrow() as model:
            model.set_tensor(model.get_input_details()[0]["index"], crop[None])
            model.invoke()
            points = model.get_tensor(model.get_output_details()[0]["index"])[0, 0]
        return BodyPose(
            tuple(
                Keypoint(
                    name, float((left + x * side) / width), float((top + y * side) / height), float(score)
                )
                for name, (y, x, score) in zip(KEYPOINTS, points, strict=True)
            )
        )


def build(context: ModelContext) -> MoveNetPose:
    """Open the embedded pose model."""
    return MoveNetPose(context.cache.path(MODEL, "model"), threads=context.threads)


def _square(box: Box, width: int, height: int, margin: float) -> tuple[float, float, float]:
    """Return left, top and side in pixels of the square around the middle of `box`."""
    side = max(box.w * width, box.h * height, 1.0) * margin
    x, y = box.centre
    return x * width - side / 2, y * height - side / 2, side


def _cut(image: Rgb, left: float, top: float, side: float) -> Rgb:
    """Return the square resized for the model, black where it leaves the picture."""
    scale = _SIZE / side
    # Shrinking by warping alone would alias, so big squares are first cut and area-averaged.
    matrix = np.array([[scale, 0, -left * scale], [0, scale, -top * scale]], np.float64)
    if scale < 0.5:
        step = max(int(0.5 / scale), 1)
        image = np.ascontiguousarray(
            cv2.resize(image, None, fx=1 / step, fy=1 / step, interpolation=cv2.INTER_AREA)
        )
        matrix[:, :2] *= step
    return np.asarray(cv2.warpAffine(image, matrix, (_SIZE, _SIZE), flags=cv2.INTER_LINEAR), np.uint8)
