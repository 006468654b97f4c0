"""Personalised PageRank over passages and the names they share: what is two steps away from a question.

A question of two hops names only the first; the passage that answers it shares a name with a passage that the
question finds, and holds words of the question that the first one lacks.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import numpy as np

from vidence.language.tokens import terms
from vidence.store.protocols import Floats

__all__ = ["PassageGraph", "follow_names", "names_in"]

_NAME = re.compile(r"\b[A-Z][\w’'-]*(?:\s+(?:of|the|de|and)?\s*[A-Z][\w’'-]*)*")
_ROUNDS = 12
_RESTART = 0.5
_COMMON = 0.03
"""A name that stands in more of the passages than this tells nothing."""
_SOURCES = 5
"""The best passages of a search are followed to those that share a name with them."""
_SHARPNESS = 3
"""How much more a better passage is followed than a worse one."""
_SHARED_NAME = 0.2
"""What a shared name alone is worth; the rest is for holding what the first passage lacks."""
_WEIGHT = 1.5
"""Weight of what was followed beside the search's own score; chosen on half of MuSiQue's questions."""
_REACHED = 40


def names_in(text: str) -> set[str]:
    """Return the names that capital letters show, in the form in which they are compared."""
    found = (" ".join(terms(match[0])) for match in _NAME.finditer(text))
    return {name for name in found if name}


class PassageGraph:
    """Passages and names as one graph; a walk begins at what a search found."""

    def __init__(self, names: Sequence[Iterable[str]]) -> None:
        """Take the names of each passage."""
        held: dict[str, list[int]] = defaultdict(list)
        for number, own in enumerate(names):
            for name in sorted(set(own)):
                held[name].append(number)
        most = max(2, int(_COMMON * len(names)))
        kept = [rows for rows in held.values() if 2 <= len(rows) <= most]
        sizes = np.array([len(rows) for rows in kept], np.int64)
        self._size, self._num_names = len(names), len(kept)
        self._passages = np.array([row for rows in kept for row in rows], np.int64)
        self._names = np.repeat(np.arange(len(kept)), sizes)
        self._shares = np.repeat(1.0 / sizes, sizes) if len(kept) else np.zeros(0)
        """Of each pair of a name and a passage: one part of the name's passages."""
        self._degrees = np.bincount(self._passages, self._shares, self._size)

    def walk(self, start: Floats) -> Floats:
        """Return how often a walk that keeps coming back to `start` visits each passage; sums to 1."""
        origin = np.maximum(start.astype(np.float64), 0)
        total = origin.sum()
        if total == 0 or not self._num_names:
            return np.asarray(origin, np.float32)
        origin /= total
        now = origin
        for _ in range(_ROUNDS):
            share = np.divide(now, self._degrees, out=np.zeros_like(now), where=self._degrees > 0)
            names = np.bincount(self._names, self._shares * share[self._passages], self._num_names)
            spread = np.bincount(self._passages, names[self._names] * self._shares, self._size)
            lost = 1 - spread.sum()
            now = _RESTART * origin + (1 - _RESTART) * (spread + lost * origin)
        return np.asarray(now, np.float32)


def follow_names(
    scores: Floats,
    graph: PassageGraph,
    asked: Mapping[int, float],
    held: Callable[[int], Collection[int]],
) -> Floats:
    """Return the scores of a search with what its best passages lead to.

    Args:
        asked: the terms of the question with how rare each is.
        held: the terms of a passage.
    """
    top = float(scores.max(initial=0.0))
    if top <= 0:
        return scores
    gained = np.zeros_like(scores)
    for source in np.argsort(-scores, kind="stable")[:_SOURCES]:
        own = held(int(source))
        rest = {term: weight for term, weight in asked.items() if term not in own}
        left = sum(rest.values())
        if scores[source] <= 0 or left <= 0:
            continue
        start = np.zeros_like(scores)
        start[source] = 1
        walk = graph.walk(start)
        walk[source] = 0
        strength = (float(scores[source]) / top) ** _SHARPNESS / (float(walk.max()) or 1.0)
        for reached in np.argsort(-walk, kind="stable")[:_REACHED]:
            theirs = held(int(reached)) if walk[reached] > 0 else ()
            covered = sum(weight for term, weight in rest.items() if term in theirs) / left
            worth = strength * float(walk[reached]) * (_SHARED_NAME + (1 - _SHARED_NAME) * covered)
            gained[reached] = max(float(gained[reached]), worth)
    return np.asarray(scores / top + _WEIGHT * gained, np.float32)
