"""What eyes sees of a picture: whitened cells of the labeller's inner tensors, colours, and boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.language.categories import categories, categories_in
from vidence.schema.perception import Detection, FloatArray, Rgb

__all__ = [
    "BOXES",
    "LOWEST_SCORE",
    "REGIONS",
    "SIDE",
    "box_means",
    "box_rows",
    "colour_cells",
    "colour_grid",
    "fine_cells",
    "named_categories",
    "region_means",
    "resampled",
    "whiten",
    "whole",
]

SIDE = 9
BOXES = 16
LOWEST_SCORE = 0.12
"""The detector is asked for more boxes than it is sure of: several weak ones are still a crowd."""
_FAR = 8.0
_EDGE = 0.3
"""A cell belongs to a box unless less than this of it does."""

_LEAST = 1e-3
"""A score of the detector below is taken for this one."""
_WINDOWS = np.array(
    [
        (x / SIDE, y / SIDE, side / SIDE, side / SIDE)
        for side in (3, 5)
        for y in range(0, SIDE - side + 1, 2)
        for x in range(0, SIDE - side + 1, 2)
    ],
    np.float32,
)
REGIONS = len(_WINDOWS)

Basis = Mapping[str, FloatArray]
Colours = NDArray[np.uint8]


def named_categories(text: str) -> FloatArray:
    """Return (80,): 1 for each category of the detector that a question names, in either language."""
    found = categories_in(text)
    return np.array([one.name in found for one in categories().values()], np.float32)


def colour_grid(image: Rgb) -> NDArray[np.uint8]:
    """Return the mean colours of 18 × 18 parts of a picture."""
    return np.asarray(cv2.resize(image, (2 * SIDE, 2 * SIDE), interpolation=cv2.INTER_AREA), np.uint8)


def whiten(
    basis: Basis, deep: FloatArray, fine: FloatArray, inner: FloatArray, colours: Colours
) -> FloatArray:
    """Return (N, 81, C) cells, each number of about mean 0 and variance 1 over photographs.

    Args:
        deep: (N, 9, 9, 384) of the labeller.
        fine: (N, 18, 18, 136) of the labeller.
        inner: (N, 10, 10, 1280) of the detector.
        colours: (N, 18, 18, 3) mean colours.
    """
    n = len(deep)
    parts = [
        (deep.reshape(n, SIDE * SIDE, -1) - basis["deep_mean"]) @ basis["deep"],
        (fine_cells(fine) - basis["fine_mean"]) @ basis["fine"],
        (resampled(inner) - basis["object_mean"]) @ basis["object"],
        (colour_cells(colours) - basis["colour_mean"]) / basis["colour_std"],
    ]
    return np.asarray(np.clip(np.concatenate(parts, axis=-1), -_FAR, _FAR), np.float32)


def resampled(grid: FloatArray) -> FloatArray:
    """Return (N, 81, D): a square grid of another size, each cell the mean of what it covers."""
    size = grid.shape[1]
    edges = np.arange(SIDE + 1) * size / SIDE
    parts = np.arange(size)
    covered = np.minimum(edges[1:, None], parts + 1) - np.maximum(edges[:-1, None], parts)
    share = (np.maximum(covered, 0) * SIDE / size).astype(np.float32)
    cells = np.einsum("ab,ef,nbfd->naed", share, share, grid, optimize=True)
    return np.asarray(cells.reshape(len(grid), SIDE * SIDE, -1), np.float32)


def region_means(head: FloatArray, boxes: FloatArray) -> FloatArray:
    """Return (N, REGIONS + B, 1280): the mean feature of overlapping windows, then of the boxes."""
    windows = np.zeros((len(head), REGIONS, 6), np.float32)
    windows[..., 2:] = _WINDOWS
    # The sums of boxes leave tiny errors of either sign.
    return np.maximum(box_means(head, np.concatenate([windows, boxes], axis=1)), 0)


def whole(basis: Basis, feature: FloatArray, peaks: FloatArray) -> FloatArray:
    """Return (N, 128 + 80): the labeller's pooled feature, whitened, and each category's likelihood."""
    pooled = (np.log1p(feature) - basis["pooled_mean"]) @ basis["pooled"]
    odds = np.clip(peaks, _LEAST, 1 - _LEAST)
    odds = (np.log(odds / (1 - odds)) - basis["peaks_mean"]) / basis["peaks_std"]
    return np.asarray(np.clip(np.concatenate([pooled, odds], axis=1), -_FAR, _FAR), np.float32)


def box_rows(found: Sequence[Detection], numbers: Mapping[str, int]) -> FloatArray:
    """Return (BOXES, 6) rows of the surest objects: category, score, x, y, w, h; -1 where there is none."""
    rows = np.zeros((BOXES, 6), np.float32)
    rows[:, 0] = -1
    for row, one in zip(rows, found, strict=False):
        row[:] = numbers[one.category], one.confidence, one.box.x, one.box.y, one.box.w, one.box.h
    return rows


def box_means(cells: FloatArray, boxes: FloatArray) -> FloatArray:
    """Return (N, B, C): the mean of the cells that a box covers, at least one."""
    grid = cells.reshape(len(cells), SIDE, SIDE, -1)
    sums = np.zeros((len(cells), SIDE + 1, SIDE + 1, grid.shape[-1]), np.float32)
    sums[:, 1:, 1:] = grid.cumsum(1).cumsum(2)
    start, size = boxes[..., 2:4] * SIDE, boxes[..., 4:6] * SIDE
    low = np.clip(np.floor(start + _EDGE), 0, SIDE - 1).astype(np.int64)
    high = np.clip(np.ceil(start + size - _EDGE), low + 1, SIDE).astype(np.int64)
    (x1, y1), (x2, y2) = np.moveaxis(low, -1, 0), np.moveaxis(high, -1, 0)
    n = np.arange(len(cells))[:, None]
    total = sums[n, y2, x2] - sums[n, y1, x2] - sums[n, y2, x1] + sums[n, y1, x1]
    return np.asarray(total / ((x2 - x1) * (y2 - y1))[..., None], np.float32)


def fine_cells(fine: FloatArray) -> FloatArray:
    """Return (N, 81, 4 × W): each 2 × 2 block of a (N, 18, 18, W) tensor stacked in its cell."""
    n, _, _, width = fine.shape
    blocks = fine.reshape(n, SIDE, 2, SIDE, 2, width).transpose(0, 1, 3, 2, 4, 5)
    return blocks.reshape(n, SIDE * SIDE, 4 * width)


def colour_cells(colours: NDArray[np.uint8]) -> FloatArray:
    """Return (N, 81, 12): the colours of each cell as lightness and two opponent axes."""
    n = len(colours)
    rows = colours.reshape(n * 2 * SIDE, 2 * SIDE, 3).astype(np.float32) / 255
    lab = cv2.cvtColor(rows, cv2.COLOR_RGB2LAB).reshape(n, 2 * SIDE, 2 * SIDE, 3)
    return fine_cells(np.asarray(lab, np.float32))
