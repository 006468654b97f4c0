"""How well clusters of mentions agree with those that people made: MUC, B³ and CEAF-e."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from vidence.index.tracking.assign import best_pairs

__all__ = ["Pair", "Span", "coreference_f1"]

Span = tuple[int, int]
Pair = tuple[list[list[Span]], list[list[Span]]]
"""Clusters that were found, and those that are there."""
Counts = tuple[float, float, float, float]
"""Right and found, right and there."""


def coreference_f1(pairs: Sequence[Pair]) -> float:
    """Return the mean F1 of MUC, B³ and CEAF-e over books."""
    metrics: tuple[Callable[[Pair], Counts], ...] = (_muc, _b_cubed, _ceaf)
    return float(np.mean([_harmonic(np.sum([metric(pair) for pair in pairs], axis=0)) for metric in metrics]))


def _harmonic(counts: Sequence[float]) -> float:
    precision, recall = counts[0] / max(1e-9, counts[1]), counts[2] / max(1e-9, counts[3])
    return 2 * precision * recall / max(1e-9, precision + recall)


def _muc(pair: Pair) -> Counts:
    return (*_links(pair[0], _owner(pair[1])), *_links(pair[1], _owner(pair[0])))


def _links(clusters: list[list[Span]], owner: dict[Span, int]) -> tuple[float, float]:
    right = there = 0
    for cluster in clusters:
        parts = {owner.get(span, -1 - number) for number, span in enumerate(cluster)}
        right += len(cluster) - len(parts)
        there += len(cluster) - 1
    return right, there


def _b_cubed(pair: Pair) -> Counts:
    return (*_overlap(pair[0], pair[1]), *_overlap(pair[1], pair[0]))


def _overlap(mine: list[list[Span]], others: list[list[Span]]) -> tuple[float, float]:
    owner = _owner(others)
    right = 0.0
    for cluster in mine:
        rows = Counter(owner[span] for span in cluster if span in owner)
        right += sum(number * number for number in rows.values()) / len(cluster)
    return right, sum(len(cluster) for cluster in mine)


def _ceaf(pair: Pair) -> Counts:
    found, there = pair
    owner = _owner(found)
    alike = np.zeros((len(there), len(found)))
    for at, cluster in enumerate(there):
        for other, number in Counter(owner[span] for span in cluster if span in owner).items():
            alike[at, other] = 2 * number / (len(cluster) + len(found[other]))
    best = float(sum(alike[pair] for pair in best_pairs(alike)))
    return best, len(found), best, len(there)


def _owner(clusters: list[list[Span]]) -> dict[Span, int]:
    return {span: number for number, cluster in enumerate(clusters) for span in cluster}
