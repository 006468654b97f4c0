"""PP-OCR: the embedded reader of Chinese and English text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.models.context import ModelContext
from vidence.models.runtime import OnnxModel
from vidence.schema.perception import Box, FloatArray, Rgb, TextLine

__all__ = ["PpOcrReader", "Quad", "TextFinder", "build"]

MODEL = "pp-ocr-v6-small"
_HEIGHT = 48
_MIN_WIDTH, _MAX_WIDTH = 48, 1600
_TALL = 1.5
_SAME_LINE = 0.5
_ENDS = 0.3
"""Heights of a line by which it is read beyond its ends."""
_CLOSE_SIDES = (416, 512, 640, 960)
_LONG = 6
_COVERED = 0.5
_MIN_PIXEL = 0.3
_MIN_LINE = 0.5
_MIN_SIDE = 3
_GROW = 1.6
"""The network is trained on shrunken text areas; this restores their margins."""
_STEP = 32
_FULL_SIDE = 960
_MARGIN = 0.08


class PpOcrReader:
    """Finds lines of text, then reads each."""

    model_id = MODEL

    def __init__(
        self, detect: Path, recognize: Path, *, threads: int = 1, min_score: float = 0.8, glance: int = 480
    ) -> None:
        self._finder = TextFinder(detect, threads=threads, glance=glance)
        self._model = OnnxModel(recognize, threads=threads)
        self._min_score = min_score

    def read(self, images: Sequence[Rgb]) -> list[list[TextLine]]:
        """Return the lines of each picture in reading order."""
        return [self._read_one(image) for image in images]

    def read_closely(self, image: Rgb, *, min_score: float = 0.6) -> list[TextLine]:
        """Return the lines of one picture, read at several sizes; slow, for single questions.

        Letters that are too big or too faint at one size are often clear at another.
        """
        found: list[TextLine] = []
        for side in _CLOSE_SIDES:
            found += [self._line(image, quad) for quad in self._finder.find_at(image, side)]
        kept: list[TextLine] = []
        for line in sorted(found, key=lambda each: -each.confidence * min(len(each.text), _LONG)):
            if line.confidence >= min_score and line.text.strip() and not _known(line, kept):
                kept.append(line)
        return _reading_order(kept)

    def _read_one(self, image: Rgb) -> list[TextLine]:
        lines = [self._line(image, quad) for quad in self._finder.find(image)]
        return _reading_order(
            [line for line in lines if line.text.strip() and line.confidence >= self._min_score]
        )

    def _line(self, image: Rgb, quad: Quad) -> TextLine:
        # Lines differ in width, and padding them to a batch costs more than it saves.
        [found] = self._model.run({"x": _to_blob(_straighten(image, quad.corners))})
        text, confidence = self._decode(found[0])
        height, width = image.shape[:2]
        low, high = quad.corners.min(axis=0) / [width, height], quad.corners.max(axis=0) / [width, height]
        return TextLine(text, confidence, Box.from_corners(*map(float, (*low, *high))))

    def _decode(self, steps: FloatArray) -> tuple[str, float]:
        """Take the best character of each step, drop repeats and blanks."""
        best = steps.argmax(axis=1)
        keep = best != 0
        keep[1:] &= best[1:] != best[:-1]
        if not keep.any():
            return "", 0.0
        text = "".join(self._characters[i] for i in best[keep])
        return text, float(steps.max(axis=1)[keep].mean())

    @cached_property
    def _characters(self) -> list[str]:
        listed = self._model.metadata.get("character")
        if not listed:
            raise BackendError(f"{self._model.path.name} does not carry its list of characters.")
        return ["", *listed.split("\n"), " "]


def build(context: ModelContext) -> PpOcrReader:
    """Open the embedded reader; a larger `glance` (pixels) finds smaller letters and costs more."""
    detect, recognize = (context.cache.path(MODEL, role) for role in ("detect", "recognize"))
    return PpOcrReader(
        detect,
        recognize,
        threads=context.threads,
        min_score=context.number("min_score", 0.8),
        glance=int(context.number("glance", 480)),
    )


def _known(line: TextLine, kept: Sequence[TextLine]) -> bool:
    """Say whether a line lies mostly where another was already read."""
    return any(line.box.overlap(other.box) > _COVERED * min(line.box.area, other.box.area) for other in kept)


def _straighten(image: Rgb, corners: FloatArray) -> Rgb:
    """Return the line as an upright rectangle; tall ones are turned, as the recogniser reads sideways."""
    corners = _widened(corners)
    width = max(
        round(float(max(np.linalg.norm(corners[0] - corners[1]), np.linalg.norm(corners[3] - corners[2])))), 1
    )
    height = max(
        round(float(max(np.linalg.norm(corners[0] - corners[3]), np.linalg.norm(corners[1] - corners[2])))), 1
    )
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(corners, target)
    line = cv2.warpPerspective(
        image, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    if height >= width * _TALL:
        line = cv2.rotate(line, cv2.ROTATE_90_COUNTERCLOCKWISE)
    return np.asarray(line, np.uint8)


def _widened(corners: FloatArray) -> FloatArray:
    """Return a wide line with a little more at its ends, where the finder cuts off first and last letters."""
    top, bottom = corners[1] - corners[0], corners[2] - corners[3]
    width = float(np.linalg.norm(top) + np.linalg.norm(bottom)) / 2
    height = float(np.linalg.norm(corners[3] - corners[0]) + np.linalg.norm(corners[2] - corners[1])) / 2
    if width < height * _TALL:
        return corners
    more = _ENDS * height / width
    moves = np.stack([-top * more, top * more, bottom * more, -bottom * more])
    return np.asarray(corners + moves, np.float32)


def _to_blob(line: Rgb) -> NDArray[np.float32]:
    width = int(np.clip(np.ceil(_HEIGHT * line.shape[1] / line.shape[0]), _MIN_WIDTH, _MAX_WIDTH))
    blob = cv2.dnn.blobFromImage(line, 1 / 127.5, (width, _HEIGHT), (127.5, 127.5, 127.5), swapRB=True)
    return np.asarray(blob, np.float32)


def _reading_order(lines: list[TextLine]) -> list[TextLine]:
    """Sort rows from the top, and within a row from the left."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda item: item.box.centre[1]):
        if rows and abs(rows[-1][0].box.centre[1] - line.box.centre[1]) < _SAME_LINE * rows[-1][0].box.h:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda item: item.box.x)]


@dataclass(frozen=True)
class Quad:
    """The four corners of one line of text, clockwise from top left, in pixels."""

    corners: FloatArray
    score: float


class TextFinder:
    """Searches a small copy first, and the full picture only where something might be text."""

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
        """Return the lines found in one pass over the whole picture, resized to `long_side` pixels."""
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
