"""Measurements of a whole frame's pixels: light, sky, greenery, snow."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.schema.perception import Rgb

__all__ = ["PixelFacts", "read_pixels"]

_SIZE = (160, 90)
_CELL, _EVEN = 16, 3
_LEAVES = 2.5
"""The least fine texture of leaves and grass; a painted or lit green wall has less."""
_Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class PixelFacts:
    """Shares of the picture, 0 to 1."""

    brightness: float
    dark: float
    """Share that is nearly black."""
    contrast: float
    colourful: float
    """Mean saturation."""
    sky: float
    """Smooth, bright or blue, and reaching down from the top edge."""
    blue_sky: float
    warm_sky: float
    """Sky in the colours of a low sun."""
    greenery: float
    ground_green: float
    """Greenery in the lower half, as a share of that half."""
    white_ground: float
    water: float
    """Blue in the lower half that is not sky."""
    grey_ground: float
    """Dull, textured ground in the lower third: asphalt, paving."""
    flat: float = 0.0
    """One colour without any texture, like the background of a slide, unlike a wall or the sky."""


def read_pixels(image: Rgb) -> PixelFacts:
    """Measure one frame."""
    small = np.asarray(cv2.resize(image, _SIZE, interpolation=cv2.INTER_AREA), np.uint8)
    hsv = np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2HSV), np.uint8)
    hue, saturation, value = hsv[..., 0], hsv[..., 1], hsv[..., 2]
    gray = np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), np.uint8)
    sky = _sky(gray, hue, saturation, value)
    blue = (hue > 92) & (hue < 130) & (saturation > 45)
    warm = ((hue < 22) | (hue > 150)) & (saturation > 45)
    green = (hue > 32) & (hue < 88) & (saturation > 50) & (value > 28) & (_texture(gray) >= _LEAVES)
    half, third = _SIZE[1] // 2, _SIZE[1] * 2 // 3
    pale = (saturation < 38) & (value > 205)
    dull = (saturation < 55) & (value > 45) & (value < 200)
    return PixelFacts(
        brightness=float(gray.mean()) / 255,
        dark=float((gray < 30).mean()),
        contrast=float(gray.std()) / 255,
        colourful=float(saturation.mean()) / 255,
        sky=float(sky.mean()),
        blue_sky=float((sky & blue).mean()),
        warm_sky=float((sky & warm).mean()),
        greenery=float(green.mean()),
        ground_green=float(green[half:].mean()),
        white_ground=float(pale[half:].mean()),
        water=float((blue & ~sky)[half:].mean()),
        grey_ground=float(dull[third:].mean()),
        flat=_flat(small),
    )


def _texture(gray: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the mean fine texture around each pixel."""
    return np.asarray(cv2.blur(np.abs(cv2.Laplacian(gray, cv2.CV_32F)), (5, 5)), np.float32)


def _flat(small: Rgb) -> float:
    """Return the share of the picture that has its commonest colour and no texture."""
    kernel = np.ones((3, 3), np.uint8)
    spread = (cv2.dilate(small, kernel).astype(np.int16) - cv2.erode(small, kernel)).max(axis=-1)
    cells = (small.astype(np.int32) // _CELL) @ np.array([256, 16, 1])
    values, counts = np.unique(cells, return_counts=True)
    return float(((cells == values[counts.argmax()]) & (spread <= _EVEN)).mean())


def _sky(
    gray: NDArray[np.uint8], hue: NDArray[np.uint8], saturation: NDArray[np.uint8], value: NDArray[np.uint8]
) -> _Mask:
    """Return the mask of what is smooth, sky-coloured and connected with the top edge."""
    smooth = _texture(gray) < 5.0
    blue = (hue > 88) & (hue < 132) & (saturation > 35) & (value > 60)
    pale = (saturation < 45) & (value > 175)
    warm = ((hue < 25) | (hue > 145)) & (saturation > 30) & (value > 110)
    candidate = (smooth & (blue | pale | warm)).astype(np.uint8)
    count, parts = cv2.connectedComponents(candidate, connectivity=4)
    sky = np.zeros(gray.shape, bool)
    for part in range(1, count):
        region = parts == part
        # Ceilings and walls are seldom as wide as the picture; sky mostly is.
        if region[:2].mean() > 0.25:
            sky |= region
    return sky
