"""What a box looks like, cheaply: its colours in three bands from top to bottom."""

from __future__ import annotations

import cv2
import numpy as np

from vidence.schema.perception import Box, FloatArray, Rgb

__all__ = ["LOOK_DIM", "colour_look"]

_BANDS, _HUES, _GREYS = 3, 8, 4
_SIZE = (16, 48)
_MARGIN = 0.18
"""Share of the width left out at either side: there the background shows."""
_GREY_BELOW = 40.0
LOOK_DIM = _BANDS * (_HUES + _GREYS)


def colour_look(image: Rgb, box: Box) -> FloatArray:
    """Return a unit vector; the product of two says how alike the boxes are coloured (1 the same)."""
    inner = Box(box.x + box.w * _MARGIN, box.y, box.w * (1 - 2 * _MARGIN), box.h)
    small = cv2.resize(inner.crop(image), _SIZE, interpolation=cv2.INTER_AREA)
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
    look = np.sqrt(np.concatenate(bands))
    return np.asarray(look / max(float(np.linalg.norm(look)), 1e-9), np.float32)


def _soft(values: FloatArray, weights: FloatArray, bins: int, *, wrap: bool = False) -> FloatArray:
    """Count values into bins, each shared between the two nearest."""
    place = values - 0.5
    low = np.floor(place)
    part = place - low
    counts = np.zeros(bins, np.float32)
    for index, share in ((low, 1 - part), (low + 1, part)):
        index = index % bins if wrap else np.clip(index, 0, bins - 1)
        counts += np.bincount(index.astype(np.intp), weights * share, minlength=bins).astype(np.float32)
    return counts
