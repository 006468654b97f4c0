"""The embedded image embedder: the labeller's feature beside the colour layout."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vidence.models.context import ModelContext
from vidence.models.protocols import ImageLabeller
from vidence.models.vision import efficientnet
from vidence.models.vision.colour_layout import LAYOUT_DIM, colour_layout
from vidence.schema.perception import FloatArray, Rgb

__all__ = ["FeatureEmbedder", "build"]

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
        """Return the vectors of pictures whose features are already known, at next to no cost."""
        if not images:
            return np.zeros((0, self.dim), np.float32)
        content = _unit(np.log1p(np.stack(features))) * np.float32((1 - _COLOUR_WEIGHT**2) ** 0.5)
        colours = _unit(np.stack([colour_layout(image) for image in images])) * np.float32(_COLOUR_WEIGHT)
        return np.concatenate([content, colours], axis=1)


def build(context: ModelContext) -> FeatureEmbedder:
    """Open the embedder on the embedded labeller."""
    return FeatureEmbedder(efficientnet.build(context))


def _unit(rows: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-12), np.float32)
