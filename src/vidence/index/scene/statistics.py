"""Statistics of pixels that tell what was filmed from what was drawn: flatness, colours, edges."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.schema.perception import FloatArray, Rgb

__all__ = ["ONE_FLAT_COLOUR", "STATISTICS", "picture_statistics"]

_SIZE = (192, 108)
_EVEN = (1, 3, 7)
"""Spreads of a pixel's neighbourhood (of 255) up to which it counts as flat."""
_CELL = 16
_COMMON = (1, 2, 5, 16)
"""How many of the commonest colours are added up."""
_STEPS = (3.0, 10.0, 30.0, 80.0)
"""Bounds of the gradient histogram."""
_EDGE, _LEAN = 40.0, 4.0
"""The least gradient of an edge, and how much it must lean to one axis to be a straight line's."""
_LINES = (0, 2, 7)
"""Ranks of the rows and columns with the longest lines that are reported."""
_RARE = 1e-3

STATISTICS = len(_EVEN) + len(_COMMON) + 3 + len(_STEPS) + 1 + 2 + 2 * len(_LINES) + 4 + 6

ONE_FLAT_COLOUR = len(_EVEN) + len(_COMMON)
"""Where among them the share of the picture stands that is flat and has its commonest colour."""

_Plane = NDArray[np.float32]


def picture_statistics(image: Rgb) -> FloatArray:
    """Return the (STATISTICS,) statistics of one frame; its size and shape make little difference."""
    small = np.asarray(cv2.resize(image, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
    gray = np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), np.float32)
    hsv = np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2HSV), np.uint8)
    kernel = np.ones((3, 3), np.uint8)
    spread = (cv2.dilate(small, kernel).astype(np.int16) - cv2.erode(small, kernel)).max(axis=-1)
    found = [*_flatness(small, spread), *_gradients(gray), *_texture(gray), *_tones(hsv, gray, spread)]
    return np.asarray(found, np.float32)


def _flatness(small: Rgb, spread: NDArray[np.int16]) -> list[float]:
    """Return the flat shares, the shares of the commonest colours, and how many colours there are."""
    cells = (small.astype(np.int32) // _CELL) @ np.array([256, 16, 1])
    counts = np.bincount(cells.ravel(), minlength=4096)
    shares = np.sort(counts[counts > 0] / cells.size)[::-1]
    flat = spread <= _EVEN[1]
    return [
        *(float((spread <= even).mean()) for even in _EVEN),
        *(float(shares[:count].sum()) for count in _COMMON),
        float((flat & (cells == counts.argmax())).mean()),
        float(np.log1p((shares >= _RARE).sum())),
        float(-(shares * np.log(shares)).sum()),
    ]


def _gradients(gray: _Plane) -> list[float]:
    """Return the histogram of gradients, and how straight the edges are and how long the lines."""
    across = np.abs(cv2.Sobel(gray, cv2.CV_32F, 1, 0)) / 4
    down = np.abs(cv2.Sobel(gray, cv2.CV_32F, 0, 1)) / 4
    size = np.maximum(across, down)
    bounds = (0.0, *_STEPS, np.inf)
    histogram = np.histogram(size, bounds)[0] / size.size
    edge = size * 4 >= _EDGE
    level, upright = edge & (down > _LEAN * across), edge & (across > _LEAN * down)
    count = max(int(edge.sum()), 1)
    rows = np.sort(level.mean(axis=1))[::-1]
    columns = np.sort(upright.mean(axis=0))[::-1]
    return [
        *histogram.tolist(),
        float(level.sum() / count),
        float(upright.sum() / count),
        *(float(rows[rank]) for rank in _LINES),
        *(float(columns[rank]) for rank in _LINES),
    ]


def _texture(gray: _Plane) -> list[float]:
    """Return quantiles of the fine texture: drawings have none between edges, a camera's grain has."""
    fine = np.abs(cv2.Laplacian(gray, cv2.CV_32F))
    return [float(np.log1p(value)) for value in np.quantile(fine, (0.25, 0.5, 0.75, 0.95))]


def _tones(hsv: Rgb, gray: _Plane, spread: NDArray[np.int16]) -> list[float]:
    """Return the saturation, and the flat white and black of paper and screens."""
    saturation = hsv[..., 1]
    flat = spread <= _EVEN[1]
    return [
        float(saturation.mean()) / 255,
        float(saturation.std()) / 255,
        float((saturation > 200).mean()),
        float((flat & (gray > 235)).mean()),
        float((flat & (gray < 16)).mean()),
        float(gray.std()) / 255,
    ]
