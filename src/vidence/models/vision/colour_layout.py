"""Cheap signatures of a picture: a hash for near-identical frames, and where its colours lie."""

from __future__ import annotations

import cv2
import numpy as np

from vidence.schema.perception import FloatArray, Rgb

__all__ = ["LAYOUT_DIM", "colour_layout", "hash_distance", "perceptual_hash"]

_GRID = 4
LAYOUT_DIM = _GRID * _GRID * 3


def perceptual_hash(image: Rgb) -> int:
    """Return 64 bits that change little when a picture is rescaled, recompressed or dimmed."""
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    small = cv2.resize(grey, (32, 32), interpolation=cv2.INTER_AREA).astype(np.float32)
    waves = cv2.dct(small)[:8, :8].ravel()
    bits = waves > np.median(waves[1:])
    # The first wave is the mean brightness, which says nothing about shape.
    bits[0] = False
    return int.from_bytes(np.packbits(bits).tobytes(), "big")


def hash_distance(first: int, second: int) -> int:
    """Return in how many of 64 bits two hashes differ; up to about 4 is the same picture."""
    return (first ^ second).bit_count()


def colour_layout(image: Rgb) -> FloatArray:
    """Return the mean colour of a 4 × 4 grid, in a space where distance matches what eyes see."""
    small = cv2.resize(image, (_GRID * 8, _GRID * 8), interpolation=cv2.INTER_AREA)
    lab = cv2.cvtColor(small.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    grid = lab.reshape(_GRID, 8, _GRID, 8, 3).mean(axis=(1, 3))
    return np.asarray((grid / [100, 128, 128]).ravel(), np.float32)
