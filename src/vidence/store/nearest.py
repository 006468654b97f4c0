"""Exact nearest vectors by inner product: block by block, in memory or mapped from a file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from vidence.errors import FileProblem, UserError
from vidence.store.faults import disk_fault

__all__ = ["Nearest", "Neighbours", "write_vectors"]

_BLOCK_BYTES = 16 << 20
"""Small enough for scores and the float32 block to stay near the processor's cache."""

Vectors = NDArray[np.float32] | NDArray[np.float16]


@dataclass(frozen=True)
class Neighbours:
    """The rows nearest to each query, the nearest first; fewer columns where there are fewer rows."""

    rows: NDArray[np.int64]
    """(queries, k)"""
    scores: NDArray[np.float32]


class Nearest:
    """Searches a (n, dim) matrix without any approximation; of equal scores the lower row comes first."""

    def __init__(self, matrix: Vectors) -> None:
        if matrix.ndim != 2 or matrix.dtype not in (np.float16, np.float32):
            raise UserError(
                f"Vectors must be (n, dim) float16 or float32, not {matrix.shape} {matrix.dtype}."
            )
        self._matrix = matrix

    @classmethod
    def open(cls, path: Path) -> Nearest:
        """Map a file written by `write_vectors`; nothing is read before it is searched."""
        try:
            return cls(np.load(path, mmap_mode="r", allow_pickle=False))
        except (OSError, ValueError) as exc:
            raise FileProblem(f"The vectors {path} cannot be read: {exc}. Remove the file.") from exc

    def __len__(self) -> int:
        return len(self._matrix)

    def search(self, queries: NDArray[np.float32], k: int) -> Neighbours:
        """Return the `k` rows with the largest inner product for each of (q, dim) queries."""
        asked = np.ascontiguousarray(np.atleast_2d(queries), np.float32)
        if asked.shape[1] != self._matrix.shape[1]:
            raise UserError(
                f"A query of {asked.shape[1]} numbers cannot be compared with vectors of "
                f"{self._matrix.shape[1]}. Index the videos again with the model in use."
            )
        k = max(0, min(k, len(self)))
        best = _Best(len(asked), k)
        if k:
            for first, scores in self._scores(asked):
                best.take(first, scores)
        return Neighbours(best.rows, best.scores)

    def _scores(self, queries: NDArray[np.float32]) -> Iterable[tuple[int, NDArray[np.float32]]]:
        """Yield the first row of each block and its (queries, block) scores."""
        size = max(1024, _BLOCK_BYTES // (4 * self._matrix.shape[1]))
        wide = self._matrix.dtype == np.float32
        buffer = np.empty((0 if wide else min(size, len(self)), self._matrix.shape[1]), np.float32)
        for first in range(0, len(self), size):
            block = self._matrix[first : first + size]
            if not wide:
                np.copyto(buffer[: len(block)], block)
                block = buffer[: len(block)]
            yield first, np.asarray(queries @ block.T if len(queries) > 1 else (block @ queries[0])[None])


class _Best:
    """The k best rows so far, for every query."""

    def __init__(self, queries: int, k: int) -> None:
        self._k = k
        self.rows = np.zeros((queries, 0), np.int64)
        self.scores = np.zeros((queries, 0), np.float32)

    def take(self, first: int, scores: NDArray[np.float32]) -> None:
        """Merge the (queries, block) scores of the rows from `first` on."""
        if self.rows.shape[1] < self._k:
            merged = [self._merge(query, first, scores) for query in range(len(scores))]
            self.rows = np.stack([rows for rows, _ in merged])
            self.scores = np.stack([found for _, found in merged])
            return
        # Once k rows are known, few rows of a block beat the worst of them; only those are merged.
        for query in np.flatnonzero(scores.max(axis=1) > self.scores[:, -1]):
            self.rows[query], self.scores[query] = self._merge(int(query), first, scores)

    def _merge(
        self, query: int, first: int, scores: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        own = scores[query]
        known = self.scores[query]
        if len(known) == self._k:
            kept = np.flatnonzero(own > known[-1])
        elif len(own) > self._k:
            # Keep all that equal the k-th: a partition alone would pick among them at random.
            kept = np.flatnonzero(own >= np.partition(own, len(own) - self._k)[len(own) - self._k])
        else:
            kept = np.arange(len(own))
        rows = np.concatenate([self.rows[query], kept + first])
        found = np.concatenate([known, own[kept]])
        order = np.argsort(-found, kind="stable")[: self._k]
        return rows[order], found[order]


def write_vectors(
    path: Path, blocks: Iterable[Vectors], *, rows: int, dim: int, dtype: str = "float32"
) -> None:
    """Write (n, dim) vectors given in blocks to a file that `Nearest.open` maps; whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".unfinished")
        try:
            with os.fdopen(handle, "wb") as file:
                header = {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": (rows, dim)}
                npy.write_array_header_1_0(file, header)
                for block in blocks:
                    file.write(np.ascontiguousarray(block, dtype).tobytes())
            Path(name).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as exc:
        raise disk_fault(exc, path) from exc
