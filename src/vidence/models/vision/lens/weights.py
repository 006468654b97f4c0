"""The shipped weights of lens: read once, checked against their digest."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.models.vision.embedding import unit
from vidence.schema.perception import FloatArray

__all__ = ["FILE", "VERSION", "LensWeights", "load_weights", "parse_weights"]

VERSION: Final = "2"
FILE: Final = f"lens-{VERSION}.npz"
SHA256: Final = "b1290f8175d4500d941714f53aff4e9cf0be1606ede357d72c7884285c5345f0"
_SCALE: Final = ".scale"
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
    try:
        content = (files("vidence.models") / "weights" / FILE).read_bytes()
    except OSError as exc:
        raise BackendError(f"The lens weights {FILE} cannot be read: {exc}. Reinstall vidence.") from exc
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise BackendError(f"The lens weights {FILE} are not the ones vidence shipped. Reinstall vidence.")
    return parse_weights(content)


def parse_weights(content: bytes) -> LensWeights:
    """Return the weights a `.npz` holds; matrices are stored in 8 bits with a scale per output."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            meta = json.loads(str(stored["meta"]))
            raw = {name: stored[name] for name in stored.files if name != "meta"}
        arrays = {name: _widened(name, raw) for name in raw if not name.endswith(_SCALE)}
        if _CROWD in arrays:
            arrays[_CROWD] = unit(arrays[_CROWD])
        return LensWeights(
            version=str(meta["version"]),
            labeller_sha256=str(meta["labeller_sha256"]),
            odds=np.array(meta["odds"], np.float32),
            background=_under("background.", arrays),
            image=_under("image.", arrays),
            crowd=_under("crowd.", arrays),
            text=_under("text.", arrays),
        )
    except (OSError, ValueError, KeyError) as exc:
        raise BackendError(f"The lens weights cannot be read: {exc}. Reinstall vidence.") from exc


def _widened(name: str, raw: Mapping[str, NDArray[np.generic]]) -> FloatArray:
    widened = raw[name].astype(np.float32)
    scale = raw.get(name + _SCALE)
    return widened if scale is None else np.asarray(widened * scale.astype(np.float32), np.float32)


def _under(prefix: str, arrays: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
