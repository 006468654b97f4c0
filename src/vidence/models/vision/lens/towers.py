"""The two towers of lens in NumPy: features to vectors, piece vectors to vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from vidence.models.text.use import BRANCH, ORDERS, normalise, relu
from vidence.models.vision.embedding import unit
from vidence.schema.perception import FloatArray

__all__ = ["image_vectors", "step_back", "text_vectors"]

_GAP = 2  # rows of zeros after each text, so that no window reaches the next one
_EPS, _POOL_EPS = 1e-6, 1e-5
_SHARPEST = np.float32(12.0)  # most a piece's weight may be raised or lowered, as a logarithm
_GELU = np.float32(np.sqrt(2 / np.pi))

Weights = Mapping[str, FloatArray]


def image_vectors(weights: Weights, features: FloatArray) -> FloatArray:
    """Return (N, d) unit vectors of (N, 1280) pooled labeller features."""
    x: FloatArray = (np.log1p(features) - weights["mean"]) / weights["std"]
    entered: FloatArray = x @ weights["enter.weight"].T + weights["enter.bias"]
    hidden = _gelu(entered)
    return unit(hidden @ weights["leave.weight"].T + weights["leave.bias"] + x @ weights["skip.weight"].T)


def step_back(crowd: Weights, vectors: FloatArray) -> FloatArray:
    """Return image vectors moved away from all texts, further where they are near many common texts.

    Some pictures match every query; all texts share a direction, so a step against it lowers all matches.
    """
    if not crowd:
        return vectors
    nearness = np.exp(crowd["sharpness"] * (vectors @ crowd["texts"].T)) @ crowd["shares"]
    step = np.log(nearness) / crowd["sharpness"] - crowd["level"]
    return unit(vectors - step[:, None] * crowd["axis"])


def text_vectors(weights: Weights, texts: Sequence[FloatArray]) -> FloatArray:
    """Return a unit vector per text, each text given as its (pieces, 512) vectors."""
    lengths = np.array([len(text) for text in texts])
    starts = np.cumsum(lengths + _GAP) - lengths - _GAP
    x = np.zeros((int(np.sum(lengths + _GAP)), texts[0].shape[1]), np.float32)
    inside = np.zeros((len(x), 1), np.float32)
    for text, start in zip(texts, starts, strict=True):
        x[start : start + len(text)] = text
        inside[start : start + len(text)] = 1
    features = _piece_features(weights, x, inside)
    sums = np.add.reduceat(features, starts, axis=0)
    picked = _attend(weights, features, inside, starts)
    return _project(weights, sums, lengths.astype(np.float32)[:, None], picked)


def _piece_features(w: Weights, x: FloatArray, inside: FloatArray) -> FloatArray:
    branches = normalise(x @ w["proj"] + w["proj_b"], w["ln_g"], w["ln_b"], _EPS) * inside
    parts = [x]
    for i, (n, left) in enumerate(ORDERS):
        branch = branches[:, i * BRANCH : (i + 1) * BRANCH]
        branch = (branch + relu(_windows(branch, n, left) @ w[f"w1_{n}"] + w[f"b1_{n}"])) * inside
        parts.append(branch + relu(_windows(branch, n, left) @ w[f"w2_{n}"] + w[f"b2_{n}"]))
    features: FloatArray = normalise(np.concatenate(parts, axis=1), w["sum_g"], w["sum_b"], _EPS) * inside
    return features


def _attend(w: Weights, features: FloatArray, inside: FloatArray, starts: NDArray[np.int64]) -> FloatArray:
    """Return (texts, 512): several attention heads, each with its own weights over a text's pieces."""
    heads = w["att_q"].shape[1]
    weight = np.exp(np.clip(features @ w["att_q"], -_SHARPEST, _SHARPEST)) * inside
    spread = np.add.reduceat(weight, starts, axis=0)
    values = (features @ w["att_v"]).reshape(len(features), heads, -1) * weight[..., None]
    picked = np.add.reduceat(values, starts, axis=0) / spread[..., None]
    flat = np.asarray(picked.reshape(len(starts), -1), np.float32)
    return normalise(flat, np.float32(1.0), np.float32(0.0), _POOL_EPS)


def _project(w: Weights, sums: FloatArray, lengths: FloatArray, picked: FloatArray) -> FloatArray:
    mean = np.asarray((sums @ w["cnn_W"] + lengths * w["cnn_b"]) / np.sqrt(lengths), np.float32)
    inner = relu(np.asarray(mean @ w["d0"], np.float32)) @ w["d1"]
    first = relu(np.asarray(mean @ w["p1"] + inner, np.float32))
    whole = first @ w["p3"] + relu(first @ w["d2"]) @ w["d3"] + mean @ w["direct"] + picked @ w["att_o"]
    joint = np.concatenate([mean, picked], axis=1) @ w["f1"]
    return unit(whole + _gelu(joint) @ w["f2"])


def _windows(x: FloatArray, n: int, left: int) -> FloatArray:
    windows = np.zeros((len(x), n, x.shape[1]), np.float32)
    for k in range(n):
        shift = k - left  # column k holds the row `shift` further on
        windows[max(-shift, 0) : len(x) - max(shift, 0), k] = x[max(shift, 0) : len(x) + min(shift, 0)]
    return windows.reshape(len(x), -1)


def _gelu(x: FloatArray) -> FloatArray:
    curve: FloatArray = np.float32(0.5) * x * (1 + np.tanh(_GELU * (x + np.float32(0.044715) * x**3)))
    return curve
