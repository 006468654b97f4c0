"""Text vectors, each computed once: the captions of a video are compared with every question about it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Embed", "Floats", "VectorCache"]

Embed = Callable[[Sequence[str]], Any]
"""Sentences to an (N, D) array of unit vectors."""
Floats = NDArray[np.float32]

_KEPT = 30_000
"""Vectors kept: 60 MB of 512 numbers each."""


class VectorCache:
    """An embedder that remembers; call it like one."""

    def __init__(self, embed: Embed, *, kept: int = _KEPT) -> None:
        self._embed = embed
        self._kept = kept
        self._vectors: OrderedDict[str, Floats] = OrderedDict()
        self._lock = Lock()

    def __call__(self, texts: Sequence[str]) -> Floats:
        """Return one unit vector per text."""
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
            if new:
                found = np.asarray(self._embed(new), dtype=np.float32)
                self._vectors.update(zip(new, found, strict=True))
            rows = [self._vectors[text] for text in texts]
            for text in texts:
                self._vectors.move_to_end(text)
            while len(self._vectors) > self._kept:
                self._vectors.popitem(last=False)
        return np.stack(rows) if rows else np.zeros((0, 1), np.float32)
