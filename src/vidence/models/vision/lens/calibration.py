"""From similarity to probability: how far a picture stands out from everyday ones under the same text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vidence.models.vision.lens.weights import LensWeights
from vidence.schema.perception import FloatArray

__all__ = ["log_odds", "match_features"]


def match_features(weights: LensWeights, texts: FloatArray, images: FloatArray) -> NDArray[np.float64]:
    """Return (T, N, 4): similarity, its distance from the text's usual one, that one's spread, and 1.

    A bare word is less similar to its pictures than a sentence is to its own, but stands out as far.
    """
    similarity = (texts @ images.T).astype(np.float64)
    usual = texts @ weights.background["mean"]
    spread = np.linalg.norm(texts @ weights.background["spread"], axis=1)
    distance = (similarity - usual[:, None]) / spread[:, None]
    return np.stack(
        [similarity, distance, np.broadcast_to(spread[:, None], similarity.shape), np.ones_like(similarity)],
        axis=-1,
    )


def log_odds(weights: LensWeights, texts: FloatArray, images: FloatArray) -> NDArray[np.float64]:
    """Return the (T, N) log-odds that a text is true of a picture, at even odds beforehand."""
    return np.asarray(match_features(weights, texts, images) @ weights.odds.astype(np.float64))
