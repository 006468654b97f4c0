"""Personalised PageRank over passages and the names they share: what is two steps away from a question.

A question of two hops names only the first; the passage that answers it shares a name with the passage that
the question finds.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from vidence.language.tokens import terms
from vidence.store.protocols import Floats

__all__ = ["PassageGraph"]

_NAME = re.compile(r"\b[A-Z][\w’'-]*(?:\s+(?:of|the|de|and)?\s*[A-Z][\w’'-]*)*")
_ROUNDS = 12
_RESTART = 0.5
_COMMON = 0.03
"""A name that stands in more of the passages than this tells nothing."""


class PassageGraph:
    """Passages and names as one graph; a walk begins at what a search found."""

    def __init__(self, texts: Sequence[str], titles: Sequence[str]) -> None:
        held: dict[str, set[int]] = defaultdict(set)
        for number, (text, title) in enumerate(zip(texts, titles, strict=True)):
            for name in {title, *(found[0] for found in _NAME.finditer(text))}:
                key = " ".join(terms(name))
                if key:
                    held[key].add(number)
        most = max(2, int(_COMMON * len(texts)))
        kept = [sorted(rows) for rows in held.values() if 2 <= len(rows) <= most]
        self._size = len(texts)
        self._passages = np.array([row for rows in kept for row in rows], np.int64)
        self._names = np.repeat(np.arange(len(kept)), [len(rows) for rows in kept])
        weights = np.array([1.0 / len(rows) for rows in kept], np.float64)
        self._weights = weights[self._names] if len(kept) else np.zeros(0)
        self._num_names = len(kept)

    def walk(self, start: Floats) -> Floats:
        """Return how often a walk that keeps coming back to `start` visits each passage; sums to 1."""
        origin = np.maximum(start.astype(np.float64), 0)
        total = origin.sum()
        if total == 0 or not self._num_names:
            return np.asarray(origin, np.float32)
        origin /= total
        degree = np.bincount(self._passages, self._weights, self._size)
        now = origin
        for _ in range(_ROUNDS):
            share = np.divide(now, degree, out=np.zeros_like(now), where=degree > 0)
            names = np.bincount(self._names, self._weights * share[self._passages], self._num_names)
            spread = np.bincount(self._passages, names[self._names] / self._sizes()[self._names], self._size)
            lost = 1 - spread.sum()
            now = _RESTART * origin + (1 - _RESTART) * (spread + lost * origin)
        return np.asarray(now, np.float32)

    def _sizes(self) -> Floats:
        return np.bincount(self._names, minlength=self._num_names).astype(np.float32)
