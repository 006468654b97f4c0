"""Keep NumPy's matrix library on the calling thread while models and decoders use the cores.

The worker threads of OpenBLAS spin for a while after every product, however small. Beside a decoder and
several models that takes a tenth of all processor time, and the small products of an index gain nothing.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import Lock

import numpy as np

__all__ = ["single_threaded_blas"]

_FOLDERS = ("../numpy.libs", ".dylibs")
"""Where NumPy's wheels keep their libraries, relative to the package."""
_NAMES = ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads")
_lock = Lock()
_held = 0
_before = 0


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Use one thread per matrix product inside; where the library is not OpenBLAS nothing changes."""
    global _held, _before
    library = _library()
    if library is None:
        yield
        return
    get, set_ = library
    with _lock:
        _held += 1
        if _held == 1:
            _before = get()
            set_(1)
    try:
        yield
    finally:
        with _lock:
            _held -= 1
            if _held == 0:
                set_(_before)


@lru_cache(maxsize=1)
def _library() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """Return the getter and the setter of the thread count, if NumPy came with OpenBLAS."""
    package = Path(np.__file__).parent
    for path in sorted(file for folder in _FOLDERS for file in (package / folder).glob("*openblas*")):
        try:
            opened = ctypes.CDLL(str(path))
        except OSError:
            continue
        for name in _NAMES:
            if hasattr(opened, name.format("set")):
                return getattr(opened, name.format("get")), getattr(opened, name.format("set"))
    return None
