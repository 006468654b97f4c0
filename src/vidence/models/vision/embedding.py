"""The embedded image embedding (the labeller's feature and the colour layout), and a perceptual hash."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.models.context import ModelContext
from vidence.models.protocols import ImageLabeller
from vidence.models.vision import efficientnet
from vidence.schema.perception import FloatArray, Rgb

__all__ = ["LAYOUT_DIM", "FeatureEmbedder", "build", "colour_layout", "perceptual_hash", "unit"]

_GRID = 4
LAYOUT_DIM = _GRID * _GRID * 3
_COLOUR_WEIGHT = 0.4
"""Share of the vector's length given to colour; the rest is what the picture shows."""


class FeatureEmbedder:
    """Vectors whose dot product says how alike two pictures look, in content and in colour."""

    def __init__(self, labeller: ImageLabeller) -> None:
        self._labeller = labeller
        self.model_id = f"{labeller.model_id}+colour-layout"
        self.dim = labeller.feature_dim + LAYOUT_DIM

    def embed(self, images: Sequence[Rgb]) -> FloatArray:
        """Return (n, dim) unit vectors."""
        features = [labels.feature for labels in self._labeller.label(images)]
        return self.combine(features, images)

    def combine(self, features: Sequence[FloatArray], images: Sequence[Rgb]) -> FloatArray:
        """Return the vectors of pictures whose features are already known."""
        if not images:
            return np.zeros((0, self.dim), np.float32)
        content = unit(np.log1p(np.stack(features))) * np.float32((1 - _COLOUR_WEIGHT**2) ** 0.5)
        colours = unit(np.stack([colour_layout(image) for image in images])) * np.float32(_COLOUR_WEIGHT)
        return np.concatenate([content, colours], axis=1)


def build(context: ModelContext) -> FeatureEmbedder:
    """Open the embedder on the embedded labeller."""
    return FeatureEmbedder(efficientnet.build(context))


def perceptual_hash(image: Rgb) -> int:
    """Return 64 bits that change little when a picture is rescaled, recompressed or dimmed."""
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    small = cv2.resize(grey, (32, 32), interpolation=cv2.INTER_AREA).astype(np.float32)
    waves = cv2.dct(small)[:8, :8].ravel()
    bits = waves > np.median(waves[1:])
    # The first wave is the mean brightness, which says nothing about shape.
    bits[0] = False
    return int.from_bytes(np.packbits(bits).tobytes(), "big")


def colour_layout(image: Rgb) -> FloatArray:
    """Return the mean colour of a 4 × 4 grid, in a space where distance matches what eyes see."""
    small = cv2.resize(image, (_GRID * 8, _GRID * 8), interpolation=cv2.INTER_AREA)
    lab = cv2.cvtColor(small.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    grid = lab.reshape(_GRID, 8, _GRID, 8, 3).mean(axis=(1, 3))
    return np.asarray((grid / [100, 128, 128]).ravel(), np.float32)


def unit(rows: NDArray[np.floating]) -> FloatArray:
    """Return the rows scaled to length 1; a row of zeros stays as it is."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.ascontiguousarray(rows / np.maximum(lengths, 1e-12), dtype=np.float32)
