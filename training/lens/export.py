"""From a trained student to the file that ships, with its calibration."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vidence.models.lens.weights import LensWeights

__all__ = ["LABELLER_SHA256", "Extras", "background", "busiest_units", "crowd", "export", "fit_log_odds"]

VERSION = "1"
LABELLER_SHA256 = "948629061b2b94fb499ed7ff113a6022a44f0d16d0729e1aa18d64cc3fb31acc"
NEWTON_STEPS = 50
SPREAD = 32  # directions
UNITS = 1240  # of the image tower's 1280
CENTRES, ROUNDS, SHARPNESS = 250, 12, 25.0

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Extras:
    """What goes beside the towers: everyday photographs, everyday texts, and the log-odds."""

    background: dict[str, Floats] = field(default_factory=dict)
    crowd: dict[str, NDArray[np.generic]] = field(default_factory=dict)
    odds: tuple[float, ...] = ()


def export(student: Path, target: Path, extras: Extras, *, kept: NDArray[np.int64] | None = None) -> str:
    """Write the towers in half precision with what they need to know of themselves; return the digest.

    Args:
        kept: hidden units of the image tower to keep, all by default.
    """
    meta = {"version": VERSION, "labeller_sha256": LABELLER_SHA256, "odds": extras.odds}
    with np.load(student, allow_pickle=False) as stored:
        arrays: dict[str, NDArray[np.generic]] = {
            name.replace("text.weights.", "text."): stored[name].astype(np.float16)
            for name in stored.files
            if name.startswith(("image.", "text."))
        }
    if kept is not None:
        arrays |= {name: arrays[name][kept] for name in ("image.enter.weight", "image.enter.bias")}
        arrays["image.leave.weight"] = arrays["image.leave.weight"][:, kept]
    arrays |= {f"background.{name}": value.astype(np.float16) for name, value in extras.background.items()}
    arrays |= {f"crowd.{name}": value for name, value in extras.crowd.items()}
    np.savez(target, meta=np.array(json.dumps(meta)), **arrays)  # type: ignore[arg-type]
    return hashlib.sha256(target.read_bytes()).hexdigest()


def busiest_units(weights: LensWeights, features: Floats) -> NDArray[np.int64]:
    """Return the hidden units of the image tower that say most, to make room for the crowd."""
    w = weights.image
    entered = (np.log1p(features) - w["mean"]) / w["std"] @ w["enter.weight"].T + w["enter.bias"]
    said = np.maximum(entered, 0).std(0) * np.linalg.norm(w["leave.weight"], axis=0)
    return np.sort(np.argsort(-said)[:UNITS])


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
