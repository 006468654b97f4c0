"""The assignment problem: pairing rows with columns for the largest total score."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_pairs"]


def best_pairs(worth: NDArray[np.float64], *, at_least: float = 0.0) -> list[tuple[int, int]]:
    """Return the (row, column) pairs of the largest total; pairs worth less than `at_least` are not made.

    The shortest-augmenting-path form of the Hungarian method, exact, in O(rows² × columns).
    """
    rows, columns = worth.shape
    if rows == 0 or columns == 0:
        return []
    if rows > columns:
        return sorted((row, column) for column, row in best_pairs(worth.T, at_least=at_least))
    # A pair that may not be made is worth nothing, so that it displaces no pair that may.
    owner = _solve(-np.where(worth >= at_least, worth - at_least + 1e-9, 0.0))
    pairs = [(int(row), column) for column, row in enumerate(owner) if row >= 0]
    return sorted((row, column) for row, column in pairs if worth[row, column] >= at_least)


def _solve(cost: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the row that owns each column, -1 for none, at the least total cost; rows ≤ columns."""
    rows, columns = cost.shape
    # Column 0 is where a new row begins its search; the rest are shifted by one.
    row_price, column_price = np.zeros(rows), np.zeros(columns + 1)
    owner = np.full(columns + 1, -1, np.intp)
    for row in range(rows):
        owner[0], here = row, 0
        best, came_from = np.full(columns + 1, np.inf), np.zeros(columns + 1, np.intp)
        seen = np.zeros(columns + 1, bool)
        while owner[here] >= 0:
            seen[here] = True
            current = owner[here]
            slack = cost[current] - row_price[current] - column_price[1:]
            closer = ~seen[1:] & (slack < best[1:])
            best[1:][closer], came_from[1:][closer] = slack[closer], here
            there = int(np.where(seen, np.inf, best).argmin())
            step = best[there]
            row_price[owner[seen]] += step
            column_price[seen] -= step
            best[~seen] -= step
            here = there
        while here:
            owner[here] = owner[came_from[here]]
            here = int(came_from[here])
    return owner[1:]
