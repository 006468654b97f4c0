"""From a trained student to the file that ships, with its calibration."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["LABELLER_SHA256", "background", "export", "fit_log_odds"]

VERSION = "1"
LABELLER_SHA256 = "948629061b2b94fb499ed7ff113a6022a44f0d16d0729e1aa18d64cc3fb31acc"
NEWTON_STEPS = 50
SPREAD = 64  # directions

Floats = NDArray[np.float32]


def export(student: Path, target: Path, background: dict[str, Floats], odds: list[float]) -> str:
    """Write the towers in half precision with what they need to know of themselves; return the digest."""
    meta = {"version": VERSION, "labeller_sha256": LABELLER_SHA256, "odds": odds}
    with np.load(student, allow_pickle=False) as stored:
        arrays = {
            name.replace("text.weights.", "text."): stored[name].astype(np.float16)
            for name in stored.files
            if name.startswith(("image.", "text."))
        }
    arrays |= {f"background.{name}": value.astype(np.float16) for name, value in background.items()}
    np.savez(target, meta=np.array(json.dumps(meta)), **arrays)  # type: ignore[arg-type]
    return hashlib.sha256(target.read_bytes()).hexdigest()


def background(vectors: Floats) -> dict[str, Floats]:
    """Return mean and main directions of spread of many photographs' vectors."""
    values, directions = np.linalg.eigh(np.cov(vectors.T))
    main = directions[:, -SPREAD:] * np.sqrt(values[-SPREAD:])
    return {"mean": vectors.mean(0), "spread": main.astype(np.float32)}


def fit_log_odds(features: NDArray[np.float64], truth: NDArray[np.bool_]) -> list[float]:
    """Return the logistic weights of `features`; as many true as false rows make it even odds."""
    found = np.zeros(features.shape[1])
    for _ in range(NEWTON_STEPS):
        p = 1 / (1 + np.exp(-features @ found))
        curvature = (features * (p * (1 - p))[:, None]).T @ features
        found += np.linalg.solve(curvature, features.T @ (truth - p))
    return [float(value) for value in found]
