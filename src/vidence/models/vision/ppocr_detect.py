"""Find where text is in a picture with the PP-OCR detection network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.models.runtime import OnnxModel
from vidence.schema.perception import FloatArray, Rgb

__all__ = ["Quad", "TextFinder"]

_MIN_PIXEL = 0.3
_MIN_LINE = 0.5
_MIN_SIDE = 3
_GROW = 1.6
"""The network is trained on shrunken text areas; this gives their margins back."""
_STEP = 32
_FULL_SIDE = 960
_MARGIN = 0.08


@dataclass(frozen=True)
class Quad:
    """The four corners of one line of text, clockwise from top left, in pixels."""

    corners: FloatArray
    score: float


class TextFinder:
    """Glances at a small copy first and looks closely only where something might be text."""

    def __init__(self, model: Path, *, threads: int = 1, glance: int = 480) -> None:
        self._model = OnnxModel(model, threads=threads)
        self._glance = glance

    def find(self, image: Rgb) -> list[Quad]:
        """Return the lines of text in `image`."""
        region = _hot_region(self._text_map(image, self._glance), image.shape[1], image.shape[0])
        if region is None:
            return []
        left, top, right, bottom = region
        part = image[top:bottom, left:right]
        quads = _quads(self._text_map(part, _FULL_SIDE), part.shape[1], part.shape[0])
        offset = np.array([left, top], np.float32)
        return [Quad(quad.corners + offset, quad.score) for quad in quads]

    def find_at(self, image: Rgb, long_side: int) -> list[Quad]:
        """Return the lines found in one look at the whole picture, brought to `long_side` pixels."""
        height, width = image.shape[:2]
        scale = long_side / max(height, width)
        sized = cv2.resize(
            image,
            (max(round(width * scale), 1), max(round(height * scale), 1)),
            interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC,
        )
        return _quads(self._text_map(np.asarray(sized, np.uint8), long_side), width, height)

    def _text_map(self, image: Rgb, long_side: int) -> FloatArray:
        """Return the probability of text per pixel of a resized copy."""
        height, width = image.shape[:2]
        scale = min(long_side / max(height, width), 1.0)
        size = (_rounded(width * scale), _rounded(height * scale))
        # The network was trained on blue-first pictures.
        blob = cv2.dnn.blobFromImage(image, 1 / 127.5, size, (127.5, 127.5, 127.5), swapRB=True)
        [found] = self._model.run({"x": blob})
        return np.asarray(found[0, 0], np.float32)


def _rounded(length: float) -> int:
    return max(round(length / _STEP) * _STEP, _STEP)


def _hot_region(text_map: FloatArray, width: int, height: int) -> tuple[int, int, int, int] | None:
    """Return the part of the picture around everything that might be text."""
    ys, xs = np.nonzero(text_map > _MIN_PIXEL)
    if xs.size == 0:
        return None
    sx, sy = width / text_map.shape[1], height / text_map.shape[0]
    pad = _MARGIN * max(width, height)
    left, right = max(int(xs.min() * sx - pad), 0), min(int((xs.max() + 1) * sx + pad), width)
    top, bottom = max(int(ys.min() * sy - pad), 0), min(int((ys.max() + 1) * sy + pad), height)
    return left, top, right, bottom


def _quads(text_map: FloatArray, width: int, height: int) -> list[Quad]:
    mask = cv2.dilate((text_map > _MIN_PIXEL).astype(np.uint8), np.ones((2, 2), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    scale = np.array([width / text_map.shape[1], height / text_map.shape[0]], np.float32)
    found = []
    for contour in contours:
        (cx, cy), (w, h), angle = cv2.minAreaRect(contour)
        if min(w, h) < _MIN_SIDE:
            continue
        score = _mean_inside(text_map, cv2.boxPoints(((cx, cy), (w, h), angle)))
        if score < _MIN_LINE:
            continue
        # Growing a rectangle by area × ratio / perimeter on every side keeps it a rectangle.
        grow = w * h * _GROW / (w + h)
        corners = _ordered(cv2.boxPoints(((cx, cy), (w + grow, h + grow), angle))) * scale
        found.append(Quad(np.clip(corners, 0, [width, height]).astype(np.float32), score))
    return found


def _mean_inside(text_map: FloatArray, corners: NDArray[np.integer | np.floating]) -> float:
    left, top = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
    right, bottom = np.ceil(corners.max(axis=0)).astype(int) + 1
    part = text_map[top:bottom, left:right]
    mask = np.zeros(part.shape, np.uint8)
    cv2.fillPoly(mask, [np.round(corners - [left, top]).astype(np.int32)], 1)
    return float(cv2.mean(part, mask)[0])


def _ordered(corners: NDArray[np.integer | np.floating]) -> FloatArray:
    """Return the corners clockwise from top left."""
    by_x = corners[np.argsort(corners[:, 0], kind="stable")]
    left = by_x[:2][np.argsort(by_x[:2, 1])]
    right = by_x[2:][np.argsort(by_x[2:, 1])]
    return np.array([left[0], right[0], right[1], left[1]], np.float32)
