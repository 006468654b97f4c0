"""The weights of the critic's small models, as `training/topics` wrote them."""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["load_weights", "softmax"]


@cache
def load_weights() -> dict[str, NDArray[Any]]:
    """Return every array by its name; quantised ones come back as floats."""
    with as_file(files("vidence.intel") / "data" / "critic.npz") as path, np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    scales = {name: float(arrays[f"{name}_scale"]) for name in arrays if f"{name}_scale" in arrays}
    return {
        name: array.astype(np.float32) * scales.get(name, 1.0)
        for name, array in arrays.items()
        if not name.endswith("_scale")
    }


def softmax(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return probabilities from scores, over the last axis."""
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=-1, keepdims=True), np.float32)
