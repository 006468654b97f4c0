"""How much of one picture cannot be found in another, allowing for motion and for changes of light.

Thumbnails are compared block by block: each block of the newer picture is looked for around its place in
the older one by normalised correlation. Pans, shake, zoom and moving objects keep a match somewhere near;
brightening and dimming do not disturb a correlation; a new shot leaves hardly any block with a match.
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["THUMB", "Thumb", "crop_bars", "mismatch", "spread"]

Thumb = NDArray[np.uint8]  # (36, 64, 3) RGB

THUMB = (64, 36)
"""Width and height every picture is shrunk to, whatever its shape."""

_BLOCK = (16, 12)
_REACH = (10, 7)
"""How far a block may have moved: a sixth of the picture, one way or the other."""

_FLAT = 2.0
"""A block whose pixels spread less than this (of 255) has no texture to match."""
_FLAT_WEIGHT = 0.25
_FLAT_CONTRAST = 50.0
_QUANTILE = 0.35
_BAR_LEVEL = 28
_BAR_SHARE = 0.45


def mismatch(older: Thumb, newer: Thumb) -> float:
    """Return 0 where `newer` shows what `older` shows, moved or relit, up to 1 or more where it does not.

    It is the mismatch of the best third of the blocks, so an object that hides half the picture, a caption
    or an inset does not count as a change.
    """
    older, newer = crop_bars(older, newer)
    before, after = _planes(older), _planes(newer)
    scores, weights = np.empty(len(_blocks())), np.empty(len(_blocks()))
    for index, (here, around) in enumerate(_blocks()):
        scores[index], weights[index] = _compare(before[here], before[around], after[here])
    return _weighted_quantile(scores, weights)


def spread(thumb: Thumb) -> float:
    """Return how far the pixels of a picture spread around their mean: near 0 for a blank one."""
    _, deviation = cv2.meanStdDev(thumb)
    return float(np.sqrt((deviation**2).mean()))


def crop_bars(a: Thumb, b: Thumb) -> tuple[Thumb, Thumb]:
    """Return both pictures without the black bars they share, at the size they had."""
    light = cv2.max(a, b)
    top, bottom = _lit(cv2.reduce(light, 1, cv2.REDUCE_MAX).reshape(-1, 3).max(axis=1))
    left, right = _lit(cv2.reduce(light, 0, cv2.REDUCE_MAX).reshape(-1, 3).max(axis=1))
    if (top, bottom, left, right) == (0, a.shape[0], 0, a.shape[1]):
        return a, b
    return _fill(a[top:bottom, left:right]), _fill(b[top:bottom, left:right])


def _lit(profile: NDArray[np.integer | np.floating]) -> tuple[int, int]:
    """Return where a row or column profile is lit, or all of it if too little is."""
    size = len(profile)
    lit = np.flatnonzero(profile > _BAR_LEVEL)
    if not lit.size or size - (lit[-1] + 1 - lit[0]) > size * _BAR_SHARE:
        return 0, size
    # The row where a bar ends is a mixture; leave it out too.
    first, last = int(lit[0]), int(lit[-1]) + 1
    return first + (first > 0), last - (last < size)


def _fill(cropped: Thumb) -> Thumb:
    return np.asarray(cv2.resize(cropped, THUMB, interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


def _planes(thumb: Thumb) -> NDArray[np.float32]:
    return cv2.cvtColor(thumb, cv2.COLOR_RGB2YCrCb).astype(np.float32)


@cache
def _blocks() -> tuple[tuple[tuple[slice, slice], tuple[slice, slice]], ...]:
    """Return each block's place, and the neighbourhood it is looked for in."""
    (width, height), (w, h), (dx, dy) = THUMB, _BLOCK, _REACH
    return tuple(
        (
            (slice(y, y + h), slice(x, x + w)),
            (slice(max(0, y - dy), min(height, y + h + dy)), slice(max(0, x - dx), min(width, x + w + dx))),
        )
        for y in range(0, height, h)
        for x in range(0, width, w)
    )


def _compare(
    before: NDArray[np.float32], around: NDArray[np.float32], after: NDArray[np.float32]
) -> tuple[float, float]:
    """Return one block's mismatch and its weight."""
    (mean_before, texture_before), (mean_after, texture_after) = _moments(before), _moments(after)
    if max(texture_before, texture_after) < _FLAT:
        return min(1.0, float(np.abs(mean_before - mean_after).sum()) / _FLAT_CONTRAST), _FLAT_WEIGHT
    if texture_after < _FLAT:
        return 1.0, 1.0
    found = cv2.matchTemplate(around, after, cv2.TM_CCOEFF_NORMED)
    return 1.0 - min(1.0, float(found.max())), 1.0


def _moments(block: NDArray[np.float32]) -> tuple[NDArray[np.float64], float]:
    mean, deviation = cv2.meanStdDev(block)
    return np.asarray(mean, dtype=np.float64), float(np.linalg.norm(deviation))


def _weighted_quantile(scores: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    order = np.argsort(scores)
    reached = np.cumsum(weights[order])
    return float(scores[order][np.searchsorted(reached, _QUANTILE * reached[-1])])
