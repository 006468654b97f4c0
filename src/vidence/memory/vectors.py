"""Embeddings in blocks: adding one copies nothing, a search compares with all of them."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["VectorTable"]

_BLOCK = 4096

Floats = NDArray[np.float32]


class VectorTable:
    """One vector per document, and more for the parts of long ones."""

    def __init__(self) -> None:
        self._blocks: list[Floats] = []
        self._parts: list[Floats] = []
        self._owners = array("i")
        """The document of each part."""
        self._size = self._dim = 0

    def __len__(self) -> int:
        return self._size

    def add(self, vectors: Floats | None) -> None:
        """Add one document: the vector of the whole, then those of its parts; None when it has none."""
        self._size += 1
        if vectors is not None and len(vectors):
            self.set(self._size - 1, vectors)

    def set(self, document: int, vectors: Floats) -> None:
        """Give a document the vectors it did not have."""
        self._dim = vectors.shape[1]
        self._put(self._blocks, document, vectors[0])
        for part in vectors[1:]:
            self._put(self._parts, len(self._owners), part)
            self._owners.append(document)

    def similarities(self, query: Floats) -> tuple[Floats, Floats]:
        """Return each document's similarity to the query, as a whole and at its best part."""
        if not self._dim or len(query) != self._dim:
            nothing = np.zeros(self._size, np.float32)
            return nothing, nothing
        whole = _products(self._blocks, query, self._size)
        best = whole.copy()
        if self._owners:
            parts = _products(self._parts, query, len(self._owners))
            np.maximum.at(best, np.array(self._owners, np.int32), parts)
        return whole, best

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the vectors in half precision, as the store keeps them, for `fill`."""
        return {
            "vectors": _rows(self._blocks, min(self._size, len(self._blocks) * _BLOCK)),
            "parts": _rows(self._parts, len(self._owners)),
            "part_owners": np.array(self._owners, np.int32),
            "vector_counts": np.array([self._size, len(self._owners), self._dim], np.int64),
        }

    def fill(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Load what `to_arrays` returned."""
        self._size, _, self._dim = (int(number) for number in arrays["vector_counts"])
        self._blocks = _blocks(arrays["vectors"])
        self._parts = _blocks(arrays["parts"])
        self._owners = array("i", arrays["part_owners"].astype(np.int32).tobytes())

    def _put(self, blocks: list[Floats], row: int, vector: Floats) -> None:
        block, offset = divmod(row, _BLOCK)
        while block >= len(blocks):
            blocks.append(np.zeros((_BLOCK, self._dim), np.float32))
        blocks[block][offset] = vector


def _products(blocks: list[Floats], query: Floats, size: int) -> Floats:
    # A text stored without an embedder may lie beyond the last block; its similarity is 0.
    found = np.zeros(size, np.float32)
    for number, block in enumerate(blocks):
        rows = found[number * _BLOCK : (number + 1) * _BLOCK]
        # Not BLAS: one vector is bound by memory, and its threads wait for each other on a busy machine.
        np.einsum("ij,j->i", block[: len(rows)], query, out=rows)
    return found


def _rows(blocks: list[Floats], size: int) -> NDArray[np.float16]:
    if not blocks:
        return np.zeros((0, 0), np.float16)
    return np.concatenate([block.astype(np.float16) for block in blocks])[:size]


def _blocks(rows: NDArray[Any]) -> list[Floats]:
    """Return rows in whole blocks, so that more can be appended."""
    found: list[Floats] = []
    for start in range(0, len(rows), _BLOCK):
        block = np.zeros((_BLOCK, rows.shape[1]), np.float32)
        some = rows[start : start + _BLOCK]
        block[: len(some)] = some
        found.append(block)
    return found
