"""Read our own weights: an `.npz` inside the package, its matrices in 8 bits with a scale per output."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.schema.perception import FloatArray

__all__ = ["read_packed", "shipped_bytes", "under"]

_SCALE: Final = ".scale"


def shipped_bytes(file: str, sha256: str) -> bytes:
    """Return a file of `models/weights`, its digest checked."""
    try:
        content = (files("vidence.models") / "weights" / file).read_bytes()
    except OSError as exc:
        raise BackendError(f"The weights {file} cannot be read: {exc}. Reinstall vidence.") from exc
    if hashlib.sha256(content).hexdigest() != sha256:
        raise BackendError(f"The weights {file} are not the ones vidence shipped. Reinstall vidence.")
    return content


def read_packed(content: bytes) -> tuple[dict[str, Any], dict[str, FloatArray]]:
    """Return the description and the arrays, widened to float32; raises what NumPy and JSON raise."""
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        meta = json.loads(str(stored["meta"]))
        raw = {name: stored[name] for name in stored.files if name != "meta"}
    return meta, {name: _widened(name, raw) for name in raw if not name.endswith(_SCALE)}


def under(prefix: str, arrays: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Return the arrays whose name begins with `prefix`, by the rest of their name."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _widened(name: str, raw: Mapping[str, NDArray[np.generic]]) -> FloatArray:
    widened = raw[name].astype(np.float32)
    scale = raw.get(name + _SCALE)
    return widened if scale is None else np.asarray(widened * scale.astype(np.float32), np.float32)
