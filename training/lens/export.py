"""From a trained student to the file that ships, with its calibration."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vidence.models.vision.lens.weights import VERSION

__all__ = ["LABELLER_SHA256", "Extras", "background", "crowd", "export", "fit_log_odds"]

LABELLER_SHA256 = "948629061b2b94fb499ed7ff113a6022a44f0d16d0729e1aa18d64cc3fb31acc"
NEWTON_STEPS = 50
SPREAD = 32  # directions
CENTRES, ROUNDS, SHARPNESS = 250, 12, 25.0

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Extras:
    """What goes beside the towers: everyday photographs, everyday texts, and the log-odds."""

    background: dict[str, Floats] = field(default_factory=dict)
    crowd: dict[str, NDArray[np.generic]] = field(default_factory=dict)
    odds: tuple[float, ...] = ()


def export(student: Path, target: Path, extras: Extras) -> str:
    """Write the towers with what they need to know of themselves; return the digest.

    A matrix is stored as bytes with a half-precision scale per output, everything else in half precision.
    """
    meta = {"version": VERSION, "labeller_sha256": LABELLER_SHA256, "odds": extras.odds}
    arrays: dict[str, NDArray[np.generic]] = {}
    with np.load(student, allow_pickle=False) as stored:
        for name in stored.files:
            if name.startswith(("image.", "text.")):
                arrays |= _stored(name.replace("text.weights.", "text."), stored[name].astype(np.float32))
    arrays |= {f"background.{name}": value.astype(np.float16) for name, value in extras.background.items()}
    arrays |= {f"crowd.{name}": value for name, value in extras.crowd.items()}
    np.savez(target, meta=np.array(json.dumps(meta)), **arrays)  # type: ignore[arg-type]
    return hashlib.sha256(target.read_bytes()).hexdigest()


def _stored(name: str, values: Floats) -> dict[str, NDArray[np.generic]]:
    if values.ndim < 2:
        return {name: values.astype(np.float16)}
    # The image tower's matrices are kept (outputs, inputs), the text tower's (inputs, outputs).
    inputs = 1 if name.startswith("image.") else 0
    scale = (np.abs(values).max(axis=inputs, keepdims=True) / 127 + 1e-6).astype(np.float16)
    quantised = np.clip(np.round(values / scale.astype(np.float32)), -127, 127).astype(np.int8)
    return {name: quantised, f"{name}.scale": scale}


def crowd(texts: Floats, images: Floats, *, strength: float) -> dict[str, NDArray[np.generic]]:
    """Return k-means centres of everyday texts and the step against the direction all texts share."""
    rng = np.random.default_rng(0)
    centres = texts[rng.choice(len(texts), CENTRES, replace=False)]
    for _ in range(ROUNDS):
        nearest = (texts @ centres.T).argmax(1)
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, texts)
        moved = np.where(sums.any(1, keepdims=True), sums, centres)
        centres = moved / np.linalg.norm(moved, axis=1, keepdims=True)
    shared = texts.mean(0)
    shared /= np.linalg.norm(shared)
    axis = strength * shared / float((texts @ shared).mean())
    shares = np.bincount(nearest, minlength=CENTRES) / len(texts)
    level = (np.log(np.exp(SHARPNESS * images @ centres.T) @ shares) / SHARPNESS).mean()
    return {
        "texts": np.round(centres / np.abs(centres).max() * 127).astype(np.int8),
        "shares": shares.astype(np.float32),
        "axis": axis.astype(np.float32),
        "level": np.array(level, np.float32),
        "sharpness": np.array(SHARPNESS, np.float32),
    }


def background(vectors: Floats) -> dict[str, Floats]:
    """Return mean and main directions of spread of many photographs' vectors."""
    values, directions = np.linalg.eigh(np.cov(vectors.T))
    main = directions[:, -SPREAD:] * np.sqrt(values[-SPREAD:])
    return {"mean": vectors.mean(0), "spread": main.astype(np.float32)}


def fit_log_odds(features: NDArray[np.float64], truth: NDArray[np.bool_]) -> tuple[float, ...]:
    """Return the logistic weights of `features`; as many true as false rows make it even odds."""
    found = np.zeros(features.shape[1])
    for _ in range(NEWTON_STEPS):
        p = 1 / (1 + np.exp(-features @ found))
        curvature = (features * (p * (1 - p))[:, None]).T @ features
        found += np.linalg.solve(curvature, features.T @ (truth - p))
    return tuple(float(value) for value in found)
