"""Keeps NumPy's matrix products on the core that asks for them.

The towers' products are small. OpenBLAS shares them out among all cores and waits for the slowest, which on a
busy machine takes a hundred times longer than the product itself.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np

__all__ = ["one_core"]


@contextmanager
def one_core() -> Iterator[None]:
    """Use one core for matrix products inside; does nothing where NumPy rests on another library."""
    limit = _limit()
    if limit is None:
        yield
        return
    before = limit(1)
    try:
        yield
    finally:
        limit(before)


@cache
def _limit() -> Callable[[int], int] | None:
    """Return OpenBLAS's own switch, which answers with the setting it replaces."""
    package = Path(np.__file__).parent
    for folder in (package.parent / "numpy.libs", package / ".dylibs"):
        for path in sorted(folder.glob("*openblas*")):
            try:
                found = ctypes.CDLL(str(path)).openblas_set_num_threads_local
            except (OSError, AttributeError):
                continue
            found.argtypes, found.restype = [ctypes.c_int], ctypes.c_int
            return found  # type: ignore[no-any-return]
    return None
