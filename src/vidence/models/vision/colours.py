"""Name the colours of pixels, corrected for the colour of the light."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.language.tables import read_table
from vidence.schema.perception import FloatArray, Rgb

__all__ = ["ColourShare", "balance_white", "colour_shares"]

_BINS = 32
_LIGHTNESS_WEIGHT = 0.6
"""Shadows change lightness more than hue, so it counts for less."""
_LIT, _PALEST = 0.6, 0.1
"""The light is measured on the palest tenth of the pixels that are at least this share of the brightest."""
_PLAUSIBLE_CAST, _NO_CAST = 1.45, 1.6
"""The largest ratio between the channels of a light; beyond it the scene is coloured, not the light."""


@dataclass(frozen=True, slots=True)
class ColourShare:
    """A colour and how much of a region it covers."""

    name: str
    share: float


def colour_shares(region: Rgb, weights: FloatArray | None = None) -> list[ColourShare]:
    """Return the colours of `region`, the most common first.

    Args:
        weights: (height, width), how much each pixel counts.
    """
    names = _names()
    index = _lookup()[tuple((region >> 3).reshape(-1, 3).T)]
    counts = np.bincount(index, None if weights is None else weights.ravel(), minlength=len(names))
    total = float(counts.sum())
    if total <= 0:
        return []
    order = np.argsort(-counts, kind="stable")
    return [ColourShare(names[i], float(counts[i] / total)) for i in order if counts[i] > 0]


def balance_white(image: Rgb) -> Rgb:
    """Return the picture with the colour cast of its light removed.

    A close-up of something red is not lit by red light: only bright and pale pixels, such as a wall or a
    reflection, show the light.
    """
    small = np.asarray(cv2.resize(image, (64, 64), interpolation=cv2.INTER_AREA), np.uint8)
    light = _light(small.reshape(-1, 3))
    cast = float(light.max() / light.min())
    strength = min(max((_NO_CAST - cast) / (_NO_CAST - _PLAUSIBLE_CAST), 0.0), 1.0)
    gains = 1 + (light.mean() / light - 1) * strength
    table = np.clip(np.arange(256)[:, None] * gains, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(image, table[None]), np.uint8)


def _light(pixels: NDArray[np.uint8]) -> FloatArray:
    """Return the mean of the palest bright pixels, none of its channels 0."""
    brightness = pixels.max(axis=1)
    lit = pixels[brightness >= _LIT * np.percentile(brightness, 99)].astype(np.float32)
    vividness = 1 - lit.min(axis=1) / np.maximum(lit.max(axis=1), 1)
    palest = np.argsort(vividness, kind="stable")[: max(int(_PALEST * len(lit)), 8)]
    return np.asarray(np.maximum(lit[palest].mean(axis=0), 1), np.float32)


@lru_cache(maxsize=1)
def _names() -> tuple[str, ...]:
    return tuple(row[0] for row in read_table("colours.tsv"))


@lru_cache(maxsize=1)
def _lookup() -> NDArray[np.intp]:
    """Return the index of the colour name for every cell of a 32 × 32 × 32 cube of RGB."""
    axis = (np.arange(_BINS) * 8 + 4).astype(np.uint8)
    cube = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    owners, prototypes = [], []
    for index, row in enumerate(read_table("colours.tsv")):
        for code in row[2].split(","):
            owners.append(index)
            prototypes.append([int(code[i : i + 2], 16) for i in (0, 2, 4)])
    colours = _lab(np.array(prototypes, np.uint8))
    # |a - b|² without |a|², which is the same for every b.
    distance = np.square(colours).sum(axis=1) - 2 * _lab(cube) @ colours.T
    nearest = np.array(owners, np.intp)[distance.argmin(axis=1)]
    return np.asarray(nearest.reshape(_BINS, _BINS, _BINS), np.intp)


def _lab(colours: NDArray[np.uint8]) -> FloatArray:
    lab = cv2.cvtColor(colours[None].astype(np.float32) / 255, cv2.COLOR_RGB2LAB)[0]
    return np.asarray(lab * [_LIGHTNESS_WEIGHT, 1, 1], np.float32)
