"""Find lines of text: a glance at a small copy, then a look at the full picture where there might be some."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.models.runtime import OnnxModel
from vidence.schema.perception import FloatArray, Rgb

__all__ = ["GLANCE", "Quad", "TextFinder"]

GLANCE = 736
"""Longest side of the copy that is glanced at: capitals 10 pixels high in a 720p frame are seen there."""
_HINT = 0.15
"""A place this likely to be text is looked at again."""
_MIN_PIXEL = 0.3
_MIN_LINE = 0.5
_MIN_SIDE = 3
_GROW = 1.6
"""The network is trained on shrunken text areas; this restores their margins."""
_STEP = 32
_FULL_SIDE = 960
_SHARP_SIDE = 1280
"""Longest side of a picture that is looked at as it is; in larger ones letters are mostly larger too."""
_MARGIN = 0.08
_LARGE = 8.0
"""Least height, in pixels of the glance, of a line that the glance itself may give: large letters suit it."""
_CUT_OFF, _SAME_HEIGHT = 0.8, 1.6
"""A line is cut short if it lacks this many heights of another that is at most this much higher."""
_WORTH = 0.7
"""Several regions are looked at one by one if together they are this much smaller than one around all."""


Region = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels."""


@dataclass(frozen=True)
class Quad:
    """The four corners of one line of text, clockwise from top left, in pixels."""

    corners: FloatArray
    score: float
    rivals: tuple[int, ...] = ()
    """Places in the list of the pieces of this same line that another look gave."""


class TextFinder:
    """Searches a small copy first, and the full picture only where something might be text."""

    def __init__(self, model: Path, *, threads: int = 1, glance: int = GLANCE) -> None:
        self._model = OnnxModel(model, threads=threads)
        self._glance = glance

    def find(self, image: Rgb) -> list[Quad]:
        """Return the lines of text in `image`; one that was seen twice, as a rival of the better look."""
        height, width = image.shape[:2]
        glance = self._text_map(image, self._glance)
        near = [quad for region in _regions(glance, width, height) for quad in self._look(image, region)]
        least = _LARGE * width / glance.shape[1]
        far = (quad for quad in _quads(glance, width, height) if min(_sides(quad)) >= least)
        return near + [_rival(quad, near) for quad in far if _adds(quad, near)]

    def _look(self, image: Rgb, region: Region) -> list[Quad]:
        """Return the lines of text in a part of the picture."""
        left, top, right, bottom = region
        part = image[top:bottom, left:right]
        side = min(_FULL_SIDE, round(max(part.shape[:2]) * _SHARP_SIDE / max(image.shape[:2])))
        quads = _quads(self._text_map(part, side), part.shape[1], part.shape[0])
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


def _regions(text_map: FloatArray, width: int, height: int) -> list[Region]:
    """Return the parts of the picture around everything that might be text."""
    hot = (text_map > _HINT).astype(np.uint8)
    if not hot.any():
        return []
    pad = round(_MARGIN * max(hot.shape))
    near = cv2.dilate(hot, np.ones((2 * pad + 1, 2 * pad + 1), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(near)
    boxes = _merged([(x, y, x + w, y + h) for x, y, w, h, _ in stats[1:count].tolist()])
    whole = _around(boxes)
    if sum(map(_area, boxes)) > _WORTH * _area(whole):
        boxes = [whole]
    sx, sy = width / hot.shape[1], height / hot.shape[0]
    return [
        (int(x * sx), int(y * sy), min(round(r * sx), width), min(round(b * sy), height))
        for x, y, r, b in boxes
    ]


def _merged(boxes: list[Region]) -> list[Region]:
    """Return boxes with those that overlap joined, so that no line is found twice."""
    done: list[Region] = []
    for box in boxes:
        apart = [other for other in done if not _overlap(box, other)]
        if len(apart) < len(done):
            touching = [other for other in done if _overlap(box, other)]
            return _merged([*apart, _around([box, *touching]), *boxes[boxes.index(box) + 1 :]])
        done.append(box)
    return done


def _overlap(one: Region, other: Region) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _around(boxes: list[Region]) -> Region:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _area(box: Region) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


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


def _adds(far: Quad, near: list[Quad]) -> bool:
    """Tell whether a line of the glance was missed or cut short by the closer look."""
    parts = [near[index] for index in _parts(far, near)]
    if not parts:
        return not any(_holds(quad, far) for quad in near)
    longest, height = max(max(_sides(part)) for part in parts), max(min(_sides(part)) for part in parts)
    return max(_sides(far)) > longest + _CUT_OFF * height and min(_sides(far)) < _SAME_HEIGHT * height


def _rival(far: Quad, near: list[Quad]) -> Quad:
    return replace(far, rivals=tuple(_parts(far, near)))


def _parts(far: Quad, near: list[Quad]) -> list[int]:
    """Return which lines have their middle inside another."""
    return [index for index, quad in enumerate(near) if _holds(far, quad)]


def _holds(quad: Quad, other: Quad) -> bool:
    x, y = map(float, other.corners.mean(axis=0))
    return cv2.pointPolygonTest(quad.corners, (x, y), False) > 0


def _sides(quad: Quad) -> tuple[float, float]:
    """Return how long two neighbouring sides are."""
    first, second, third = quad.corners[:3]
    return float(np.linalg.norm(second - first)), float(np.linalg.norm(third - second))


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
