"""From probabilities to results: tight spans around the peaks, each inside a shot, none over another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vidence.language.question.search import SearchQuery

__all__ = ["Peak", "in_order", "peaks"]

_FALL = 0.75
"""A span reaches as far as the probability stays this close to its peak."""
_STEP_DOWN = 0.97


@dataclass(frozen=True)
class Peak:
    """A stretch that stands out."""

    start_s: float
    end_s: float
    probability: float
    first_cell: int
    last_cell: int


def peaks(
    edges: NDArray[np.float64],
    chances: NDArray[np.float64],
    *,
    joined: NDArray[np.bool_],
    limit: int,
    least: float,
) -> list[Peak]:
    """Return at most `limit` spans of at least the probability `least`, the likeliest first.

    Args:
        joined: whether each stretch may be in one span with the one before it; not so across a cut.
    """
    left = chances.astype(float).copy()
    found: list[Peak] = []
    for best in np.argsort(-left, kind="stable"):
        if left[best] < 0:
            continue
        if len(found) >= limit or left[best] < least:
            break
        first, last = _grow(left, joined, int(best))
        chance = float(left[first : last + 1].max())
        found.append(Peak(float(edges[first]), float(edges[last + 1]), chance, first, last))
        left[first : last + 1] = -1.0
    return found


def in_order(query: SearchQuery, found: Sequence[Peak]) -> list[Peak]:
    """Put the earliest (or latest) of the likely ones first, when the query asks for it."""
    if query.order is None or not found:
        return list(found)
    best = max(peak.probability for peak in found)
    likely = [peak for peak in found if peak.probability >= 0.6 * best]
    likely.sort(key=lambda peak: peak.start_s if query.order == "first" else -peak.start_s)
    ranked: list[Peak] = []
    chance = best
    for peak in likely:
        chance = min(chance, peak.probability) if ranked else best
        ranked.append(Peak(peak.start_s, peak.end_s, chance, peak.first_cell, peak.last_cell))
        chance *= _STEP_DOWN
    rest = [peak for peak in found if peak not in likely]
    return ranked + [peak for peak in rest if peak.probability <= chance]


def _grow(left: NDArray[np.float64], joined: NDArray[np.bool_], best: int) -> tuple[int, int]:
    least = left[best] * _FALL
    first = last = best
    while first > 0 and joined[first] and left[first - 1] >= least:
        first -= 1
    while last + 1 < len(left) and joined[last + 1] and left[last + 1] >= least:
        last += 1
    return first, last
