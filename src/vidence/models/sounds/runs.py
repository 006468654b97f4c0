"""The stretches in which something holds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["runs"]


def runs(mask: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Yield where each stretch of true values begins and where it has ended."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
