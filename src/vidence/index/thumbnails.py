"""Comparing thumbnails: how much of one cannot be found in another, despite motion and changes of light.

Thumbnails are compared block by block: each block of the newer picture is looked for around its place in
the older one by normalised correlation. Pans, shake, zoom and moving objects keep a match somewhere near;
brightening and dimming do not disturb a correlation; a new shot leaves hardly any block with a match.
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["THUMB", "Thumb", "crop_bars", "is_alike", "mismatch", "spread"]

Thumb = NDArray[np.uint8]  # (36, 64, 3) RGB

THUMB = (64, 36)
"""Width and height of a thumbnail, for pictures of any shape."""

_BLOCK = (16, 12)
_REACH = (10, 7)
"""How far a block may have moved: a sixth of the picture in each direction."""

_FLAT = 2.0
"""A block whose pixels spread less than this (of 255) has no texture to match."""
_FLAT_WEIGHT = 0.25
_FLAT_CONTRAST = 50.0
_QUANTILE = 0.35
_BAR_LEVEL = 28
_BAR_SHARE = 0.45
_SLACK = 0.005
_ROUNDING = 8.0


def mismatch(older: Thumb, newer: Thumb) -> float:
    """Return the mismatch: 0 where `newer` shows the same as `older`, moved or relit, 1 or more where not.

    It is the mismatch of the best third of the blocks, so an object that hides half the picture, a caption
    or an inset does not count as a change.
    """
    pair = _Pair(older, newer)
    scores, weights = np.empty(len(_blocks())), np.empty(len(_blocks()))
    for index in range(len(_blocks())):
        scores[index], weights[index] = pair.compare(index)
    return _weighted_quantile(scores, weights)


def is_alike(older: Thumb, newer: Thumb, limit: float) -> bool:
    """Tell whether `mismatch` is below `limit`, mostly without computing all of it.

    A block that matches in its very place need not be looked for, and once enough blocks are known the rest
    make no difference.
    """
    pair = _Pair(older, newer)
    weights = np.where(pair.is_plain, _FLAT_WEIGHT, 1.0)
    needed = _QUANTILE * float(weights.sum())
    stands = pair.stands(limit)
    known, left = float(weights[stands].sum()), float(weights[~stands].sum())
    for index in np.flatnonzero(~stands):
        if known >= needed or known + left < needed:
            break
        score, weight = pair.compare(int(index))
        known, left = known + (weight if score < limit else 0.0), left - weight
    return known >= needed


def spread(thumb: Thumb) -> float:
    """Return how far the pixels of a picture spread around their mean: near 0 for a blank one."""
    _, deviation = cv2.meanStdDev(thumb)
    return float(np.sqrt((deviation**2).mean()))


def crop_bars(a: Thumb, b: Thumb) -> tuple[Thumb, Thumb]:
    """Return both pictures without the black bars they share, at their original size."""
    light = cv2.max(a, b)
    if all(edge.max() > _BAR_LEVEL for edge in (light[0], light[-1], light[:, 0], light[:, -1])):
        return a, b
    top, bottom = _lit(cv2.reduce(light, 1, cv2.REDUCE_MAX).reshape(-1, 3).max(axis=1))
    left, right = _lit(cv2.reduce(light, 0, cv2.REDUCE_MAX).reshape(-1, 3).max(axis=1))
    if (top, bottom, left, right) == (0, a.shape[0], 0, a.shape[1]):
        return a, b
    return _fill(a[top:bottom, left:right]), _fill(b[top:bottom, left:right])


def _lit(profile: NDArray[np.integer | np.floating]) -> tuple[int, int]:
    """Return the lit range of a row or column profile, or all of it if too little is lit."""
    size = len(profile)
    lit = np.flatnonzero(profile > _BAR_LEVEL)
    if not lit.size or size - (lit[-1] + 1 - lit[0]) > size * _BAR_SHARE:
        return 0, size
    # The row where a bar ends is a mixture; leave it out too.
    first, last = int(lit[0]), int(lit[-1]) + 1
    return first + (first > 0), last - (last < size)


def _fill(cropped: Thumb) -> Thumb:
    return np.asarray(cv2.resize(cropped, THUMB, interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


class _Pair:
    """Two pictures ready to be compared block by block."""

    def __init__(self, older: Thumb, newer: Thumb) -> None:
        planes = [cv2.cvtColor(one, cv2.COLOR_RGB2YCrCb) for one in crop_bars(older, newer)]
        self._planes = np.array(planes, np.float32)
        self._rows = _rows(self._planes)
        self._sums = (self._rows @ _channels()).astype(np.float64)
        self._powers = _powers(self._rows, self._rows, self._sums, self._sums)
        before, after = self._is_flat()
        self.is_plain = before & after
        """Blocks without texture in either picture."""
        self._is_lost = after & ~before
        """Blocks whose texture is gone."""

    def stands(self, limit: float) -> NDArray[np.bool_]:
        """Tell which blocks certainly score below `limit` because they match in place."""
        shared = _powers(*self._rows, *self._sums)
        scale = np.maximum(np.sqrt(self._powers[0] * self._powers[1]), 1e-9)
        # The search rounds its sums to 24 bits, which matters where there is little texture.
        slack = _SLACK + _ROUNDING / scale
        stays = 1 - shared / scale < limit - slack
        return np.asarray(stays & ~(self.is_plain | self._is_lost), np.bool_)

    def compare(self, index: int) -> tuple[float, float]:
        """Return one block's mismatch and its weight."""
        if self._is_lost[index]:
            return 1.0, 1.0
        here, around = _blocks()[index]
        before, after = self._planes
        if self.is_plain[index]:
            apart = np.abs(cv2.meanStdDev(before[here])[0] - cv2.meanStdDev(after[here])[0])
            return min(1.0, float(apart.sum()) / _FLAT_CONTRAST), _FLAT_WEIGHT
        found = cv2.matchTemplate(before[around], after[here], cv2.TM_CCOEFF_NORMED)
        return 1.0 - min(1.0, float(found.max())), 1.0

    def _is_flat(self) -> NDArray[np.bool_]:
        """Tell which blocks of each picture have no texture: (2, 12)."""
        edge = _FLAT**2 * _BLOCK[0] * _BLOCK[1]
        flat = self._powers < edge
        for which, index in np.argwhere(np.abs(self._powers - edge) < 1e-6):
            _, deviation = cv2.meanStdDev(self._planes[which][_blocks()[index][0]])
            flat[which, index] = float(np.linalg.norm(deviation)) < _FLAT
        return flat


def _rows(planes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return one row for each block of each picture, around 0: (2, 12, 576)."""
    (width, height), (w, h) = THUMB, _BLOCK
    parts = planes.reshape(-1, height // h, h, width // w, w, 3).transpose(0, 1, 3, 2, 4, 5)
    # Centred on 0, the sums of a block's products stay below 2^24 and are exact.
    return parts.reshape(len(planes), -1, h * w * 3) - np.float32(128)


@cache
def _channels() -> NDArray[np.float32]:
    """Return the matrix that sums each of a row's three channels."""
    return np.tile(np.eye(3, dtype=np.float32), (_BLOCK[0] * _BLOCK[1], 1))


def _powers(
    a: NDArray[np.float32],
    b: NDArray[np.float32],
    sums_a: NDArray[np.float64],
    sums_b: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the covariance of each pair of blocks, as a sum over pixels."""
    products = np.einsum("...i,...i->...", a, b).astype(np.float64)
    apart = products - np.einsum("...i,...i->...", sums_a, sums_b) / (_BLOCK[0] * _BLOCK[1])
    return np.asarray(apart, np.float64)


@cache
def _blocks() -> tuple[tuple[tuple[slice, slice], tuple[slice, slice]], ...]:
    """Return each block's place, and the neighbourhood in which it is searched."""
    (width, height), (w, h), (dx, dy) = THUMB, _BLOCK, _REACH
    return tuple(
        (
            (slice(y, y + h), slice(x, x + w)),
            (slice(max(0, y - dy), min(height, y + h + dy)), slice(max(0, x - dx), min(width, x + w + dx))),
        )
        for y in range(0, height, h)
        for x in range(0, width, w)
    )


def _weighted_quantile(scores: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    order = np.argsort(scores)
    reached = np.cumsum(weights[order])
    return float(scores[order][np.searchsorted(reached, _QUANTILE * reached[-1])])
