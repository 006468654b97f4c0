"""Read a pickle of NumPy arrays without letting it name anything else."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError

__all__ = ["ArrayTree", "load_arrays"]

ArrayTree = dict[str, Union["ArrayTree", NDArray[np.float32]]]

_ADMITTED = {
    ("numpy.core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
}


class _ArrayUnpickler(pickle.Unpickler):
    """Admits the four names an array is pickled with, and refuses every other."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ADMITTED:
            raise BackendError(
                f"The weights name {module}.{name}; only NumPy arrays are admitted, so they are refused."
            )
        if name == "_reconstruct":
            return _reconstruct
        return getattr(np, name)


def load_arrays(path: Path) -> ArrayTree:
    """Return the nested dictionary of float arrays stored in `path`."""
    try:
        with path.open("rb") as file:
            tree = _ArrayUnpickler(file).load()
    except BackendError:
        raise
    except Exception as exc:  # a damaged pickle may raise nearly anything
        raise BackendError(f"The weights in {path} cannot be read: {type(exc).__name__}: {exc}") from exc
    return _checked(tree, path)


def _reconstruct(kind: type, shape: tuple[int, ...], typecode: bytes) -> NDArray[Any]:
    if kind is not np.ndarray:
        raise BackendError("The weights hold something that is not a plain array, so they are refused.")
    return np.ndarray(shape, typecode.decode())


def _checked(tree: object, path: Path) -> ArrayTree:
    if not isinstance(tree, dict):
        raise BackendError(f"The weights in {path} are not a dictionary of arrays.")
    found: ArrayTree = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            found[str(key)] = _checked(value, path)
        elif isinstance(value, np.ndarray) and value.dtype == np.float32:
            found[str(key)] = value
        else:
            raise BackendError(f"The weights in {path} hold a {type(value).__name__} under {key!r}.")
    return found
