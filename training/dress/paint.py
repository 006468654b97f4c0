"""Paint stripes and checks on plain clothes, keeping their folds and what does not belong to them."""

from __future__ import annotations

import colorsys

import cv2
import numpy as np

from vidence.schema.perception import FloatArray, Rgb

__all__ = ["paint"]

_LIKE = np.array([55, 16, 16], np.float32)
"""How far the cloth's colour may lie from its middle, in lightness and both opponent axes."""
_APART = 35.0


def paint(patch: Rgb, kind: str, rng: np.random.Generator) -> tuple[Rgb, float]:
    """Return a patch of clothes with stripes ("s") or checks ("c"), and the share that was painted."""
    height, width = patch.shape[:2]
    inner = (slice(int(0.3 * height), int(0.7 * height)), slice(int(0.3 * width), int(0.7 * width)))
    lab = cv2.cvtColor(patch, cv2.COLOR_RGB2LAB).astype(np.float32)
    usual = np.median(lab[inner].reshape(-1, 3), axis=0)
    mask = np.clip(1.6 - (np.abs(lab - usual) / _LIKE).max(-1), 0, 1).astype(np.float32)
    mask = cv2.GaussianBlur(mask, (0, 0), max(height, width) / 60)
    shade = np.clip(lab[..., 0] / max(float(usual[0]), 25.0), 0.4, 1.7)[..., None]
    share = _bands(height, width, kind, rng)[..., None]
    own = patch[inner].reshape(-1, 3).mean(0)
    first, second = (_colour(rng) if rng.random() < 0.6 else own), _colour(rng)
    while np.abs(first - second).mean() < _APART:
        second = _colour(rng)
    cloth = np.clip((first * (1 - share) + second * share) * shade, 0, 255)
    painted = patch * (1 - mask[..., None]) + cloth * mask[..., None]
    if rng.random() < 0.6:
        painted = cv2.GaussianBlur(painted, (0, 0), rng.uniform(0.3, 0.9))
    return np.clip(painted, 0, 255).astype(np.uint8), float(mask.mean())


def _bands(height: int, width: int, kind: str, rng: np.random.Generator) -> FloatArray:
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    angle = rng.normal(0, 0.12) + (np.pi / 2 if rng.random() < 0.45 else 0)
    period = height / rng.uniform(3, 16)
    bend = rng.normal(0, 0.03) * height * ((x / width - 0.5) ** 2) * 4
    across = (np.cos(angle) * (y + bend) + np.sin(angle) * x) / period + rng.random()
    along = (-np.sin(angle) * y + np.cos(angle) * x) / (period * rng.uniform(0.7, 1.4)) + rng.random()
    duty = rng.uniform(0.25, 0.6)
    if kind == "s":
        stripes = _band(across, duty)
        thin = 0.7 * _band(across + 0.5, duty * 0.3)
        return np.maximum(stripes, thin) if rng.random() < 0.3 else stripes
    one, other = _band(across, duty), _band(along, duty * rng.uniform(0.7, 1.2))
    if rng.random() < 0.3:
        one = np.maximum(one, 0.6 * _band(across * 2, 0.2))
        other = np.maximum(other, 0.6 * _band(along * 2, 0.2))
    woven = np.maximum(one, other) * 0.5 + one * other * 0.5
    return np.asarray((one + other) / 2 if rng.random() < 0.7 else woven, np.float32)


def _band(place: FloatArray, duty: float, soft: float = 0.06) -> FloatArray:
    from_middle = np.abs((place % 1) - 0.5) * 2
    return np.asarray(np.clip((duty - from_middle) / soft + 0.5, 0, 1), np.float32)


def _colour(rng: np.random.Generator) -> FloatArray:
    saturation = rng.choice([0.0, rng.uniform(0.2, 0.9)])
    return np.array(colorsys.hsv_to_rgb(rng.random(), saturation, rng.uniform(0.1, 1)), np.float32) * 255
