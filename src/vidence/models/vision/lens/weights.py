"""The shipped weights of lens: read once, checked against their digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from vidence.errors import BackendError
from vidence.models.packed import read_packed, shipped_bytes, under
from vidence.models.vision.embedding import unit
from vidence.schema.perception import FloatArray

__all__ = ["FILE", "VERSION", "LensWeights", "load_weights", "parse_weights"]

VERSION: Final = "2"
FILE: Final = f"lens-{VERSION}.npz"
SHA256: Final = "b1290f8175d4500d941714f53aff4e9cf0be1606ede357d72c7884285c5345f0"
_CROWD: Final = "crowd.texts"  # stored in 8 bits; only its direction counts


@dataclass(frozen=True)
class LensWeights:
    """The arrays of both towers, and the labeller they were trained on."""

    version: str
    labeller_sha256: str  # digest of the labeller whose features the image tower reads
    odds: FloatArray  # (4,) coefficients of the log-odds: see `match_features`
    background: Mapping[str, FloatArray]  # mean and spread of the vectors of everyday photographs
    image: Mapping[str, FloatArray]
    crowd: Mapping[str, FloatArray]  # what `step_back` needs; empty in a draft
    text: Mapping[str, FloatArray]


@cache
def load_weights() -> LensWeights:
    """Return the weights inside the package."""
    return parse_weights(shipped_bytes(FILE, SHA256))


def parse_weights(content: bytes) -> LensWeights:
    """Return the weights a `.npz` holds; matrices are stored in 8 bits with a scale per output."""
    try:
        meta, arrays = read_packed(content)
        if _CROWD in arrays:
            arrays[_CROWD] = unit(arrays[_CROWD])
        return LensWeights(
            version=str(meta["version"]),
            labeller_sha256=str(meta["labeller_sha256"]),
            odds=np.array(meta["odds"], np.float32),
            background=under("background.", arrays),
            image=under("image.", arrays),
            crowd=under("crowd.", arrays),
            text=under("text.", arrays),
        )
    except (OSError, ValueError, KeyError) as exc:
        raise BackendError(f"The lens weights cannot be read: {exc}. Reinstall vidence.") from exc
