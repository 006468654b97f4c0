"""What the question alone says about its answer: a linear score of its vectors and random features."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vidence.models.text.use import relu
from vidence.models.vision.eyes.network import LOUD, AskedText
from vidence.schema.perception import FloatArray

__all__ = ["RAW", "prior_features", "prior_logits", "raw_features", "score_logits"]

RAW = 3 * 512
_LOWEST = np.float32(2e-3)
"""A score below is taken for this one: the fit to shares of people goes a little below 0."""

Prior = Mapping[str, FloatArray]


def raw_features(text: AskedText) -> FloatArray:
    """Return the question's two whole vectors and the mean of its pieces."""
    return np.concatenate([text.sentence * LOUD, text.lens * LOUD, text.words.mean(axis=0)])


def prior_features(prior: Prior, raw: FloatArray) -> FloatArray:
    """Return (N, RAW + random + 1) features of (N, RAW) questions."""
    scaled = (raw - prior["mean"]) / prior["std"]
    ones = np.ones((len(raw), 1), np.float32)
    return np.concatenate([scaled, relu(np.asarray(scaled @ prior["random"], np.float32)), ones], axis=1)


def prior_logits(prior: Prior, text: AskedText) -> FloatArray:
    """Return (answers,): the logarithm of how likely each answer is, judged by the question alone."""
    features = prior_features(prior, raw_features(text)[None])[0]
    return score_logits(np.asarray(features @ prior["enter"] @ prior["leave"], np.float32))


def score_logits(scores: FloatArray) -> FloatArray:
    """Return the logarithms of fitted scores."""
    return np.asarray(np.log(np.maximum(scores, _LOWEST)), np.float32)
