"""PP-OCR: the embedded reader of Chinese and English text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.models.context import ModelContext
from vidence.models.runtime import OnnxModel
from vidence.models.vision.text_finder import GLANCE, Quad, TextFinder
from vidence.schema.perception import Box, FloatArray, Rgb, TextLine

__all__ = ["PpOcrReader", "build"]

MODEL = "pp-ocr-v6-small"
_HEIGHT = 48
_MIN_WIDTH, _MAX_WIDTH = 48, 1600
_TALL = 1.5
_SAME_LINE = 0.5
_ENDS = 0.3
"""Heights of a line by which it is read beyond its ends."""
_CLEAR = 0.9
"""Confidence of nearly every line that is read the right way up; the wrong way up few reach it."""
_SPACE = 0.1
_FEW = 2
_CLOSE_SIDES = (416, 512, 640, 960)
_LONG = 6
_COVERED = 0.5


class PpOcrReader:
    """Finds lines of text, then reads each."""

    model_id = MODEL

    def __init__(
        self, detect: Path, recognize: Path, *, threads: int = 1, min_score: float = 0.8, glance: int = GLANCE
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
        quads = self._finder.find(image)
        lines = [self._line(image, quad) for quad in quads]
        return _reading_order([line for line in _unrivalled(lines, quads) if self._is_legible(line)])

    def _is_legible(self, line: TextLine) -> bool:
        # A character or two make a word of any scratch.
        least = _CLEAR if len(line.text.replace(" ", "")) <= _FEW else 0.0
        return bool(line.text) and line.confidence >= max(self._min_score, least)

    def _line(self, image: Rgb, quad: Quad) -> TextLine:
        # Lines differ in width, and padding them to a batch costs more than it saves.
        line = _straighten(image, quad.corners)
        text, confidence = self._read_line(line)
        if confidence < _CLEAR:
            # A line that is upside down makes no sense until it is turned.
            turned = self._read_line(np.asarray(cv2.rotate(line, cv2.ROTATE_180), np.uint8))
            if turned[1] >= _CLEAR:
                text, confidence = turned
        height, width = image.shape[:2]
        low, high = quad.corners.min(axis=0) / [width, height], quad.corners.max(axis=0) / [width, height]
        return TextLine(text, confidence, Box.from_corners(*map(float, (*low, *high))))

    def _read_line(self, line: Rgb) -> tuple[str, float]:
        [found] = self._model.run({"x": _to_blob(line)})
        return self._decode(found[0])

    def _decode(self, steps: FloatArray) -> tuple[str, float]:
        """Take the best character of each step, drop repeats and blanks."""
        best = steps.argmax(axis=1)
        keep = best != 0
        keep[1:] &= best[1:] != best[:-1]
        if not keep.any():
            return "", 0.0
        text, before = "", 0
        for at in np.flatnonzero(keep).tolist():
            # The network is shy of spaces: between two characters a small chance of one means one.
            has_space = bool(text) and float(steps[before : at + 1, -1].max()) > _SPACE
            text += " " * has_space + self._characters[best[at]]
            before = at
        return " ".join(text.split()), float(steps.max(axis=1)[keep].mean())

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
        glance=int(context.number("glance", GLANCE)),
    )


def _unrivalled(lines: Sequence[TextLine], quads: Sequence[Quad]) -> list[TextLine]:
    """Return lines without those that another look at the same place read better."""
    lost: set[int] = set()
    for index, quad in enumerate(quads):
        if quad.rivals:
            said = sum(_said(lines[rival]) for rival in quad.rivals)
            lost.update(quad.rivals if _said(lines[index]) > said else (index,))
    return [line for index, line in enumerate(lines) if index not in lost]


def _said(line: TextLine) -> float:
    """Return how many characters were read, with what is doubtful not counted."""
    return len(line.text) * line.confidence if line.confidence >= _CLEAR else 0.0


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
