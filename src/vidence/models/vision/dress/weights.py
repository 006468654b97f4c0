"""The shipped weights of dress: read once, checked against their digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np

from vidence.errors import BackendError
from vidence.models.packed import read_packed, shipped_bytes
from vidence.schema.perception import FloatArray

__all__ = ["FILE", "VERSION", "DressWeights", "Trait", "load_weights", "parse_weights"]

VERSION: Final = "1"
FILE: Final = f"dress-{VERSION}.npz"
SHA256: Final = "0d2c54cdd984e3c83975163af7fccd253a684bf2fc5daa114128c0f7dac17f1c"


@dataclass(frozen=True)
class Trait:
    """One thing that is told of a person, or denied, where its score is clear."""

    name: str
    """The attribute it gives."""
    told: str
    """The attribute's value where the thing is there."""
    denied: str
    """The attribute's value where it is not."""
    region: str
    """What must be in view: head or torso."""
    weights: FloatArray
    """(SIZE,) of the standardised features; zeros for those it does not read."""
    bias: float
    told_from: float
    """Log-odds from which it is said to be there."""
    denied_to: float
    """Log-odds up to which it is said not to be there."""


@dataclass(frozen=True)
class DressWeights:
    """The traits and the patterns, and how features are standardised."""

    version: str
    labeller_sha256: str  # digest of the labeller whose tensors the features are made from
    mean: FloatArray
    scale: FloatArray
    traits: tuple[Trait, ...]
    pattern: FloatArray  # (features of the torso, patterns)
    pattern_bias: FloatArray
    pattern_from: Mapping[str, float]
    """From which chance on each pattern is told, in the order of the columns."""


@cache
def load_weights() -> DressWeights:
    """Return the weights inside the package."""
    return parse_weights(shipped_bytes(FILE, SHA256))


def parse_weights(content: bytes) -> DressWeights:
    """Return the weights a `.npz` holds."""
    try:
        meta, arrays = read_packed(content)
        return DressWeights(
            version=str(meta["version"]),
            labeller_sha256=str(meta["labeller_sha256"]),
            mean=arrays["mean"],
            scale=arrays["scale"],
            traits=tuple(_trait(one, arrays) for one in meta["traits"]),
            pattern=arrays["pattern"],
            pattern_bias=np.array(meta["pattern_bias"], np.float32),
            pattern_from={str(name): float(least) for name, least in meta["pattern_from"]},
        )
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise BackendError(f"The weights of dress cannot be read: {exc}. Reinstall vidence.") from exc


def _trait(row: Mapping[str, Any], arrays: Mapping[str, FloatArray]) -> Trait:
    name, told, denied, region = (str(row[key]) for key in ("name", "told", "denied", "region"))
    bias, told_from, denied_to = (float(row[key]) for key in ("bias", "told_from", "denied_to"))
    return Trait(name, told, denied, region, arrays[f"trait.{name}"], bias, told_from, denied_to)
