"""Pairs are the best there are."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vidence.index.tracking.assign import best_pairs

_SIZES = st.tuples(st.integers(0, 5), st.integers(0, 5))


def _matrix(size: tuple[int, int], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, size)


def _best_total(worth: np.ndarray, at_least: float) -> float:
    """Try every assignment; a pair counts by how far it is above the least."""
    gains = np.where(worth >= at_least, worth - at_least, 0.0)
    if worth.shape[0] > worth.shape[1]:
        gains = gains.T
    rows, columns = gains.shape
    orders = permutations(range(columns), rows)
    return max((sum(gains[row, column] for row, column in enumerate(order)) for order in orders), default=0.0)


@given(_SIZES, st.integers(0, 10_000), st.sampled_from([0.0, 0.3, -0.5]))
def test_no_other_assignment_is_worth_more(size: tuple[int, int], seed: int, at_least: float) -> None:
    worth = _matrix(size, seed)
    pairs = best_pairs(worth, at_least=at_least)
    total = sum(worth[row, column] - at_least for row, column in pairs)
    assert abs(total - _best_total(worth, at_least)) < 1e-6


@given(_SIZES, st.integers(0, 10_000))
def test_each_row_and_column_is_used_once(size: tuple[int, int], seed: int) -> None:
    pairs = best_pairs(_matrix(size, seed), at_least=0.0)
    assert len({row for row, _ in pairs}) == len(pairs)
    assert len({column for _, column in pairs}) == len(pairs)


def test_impossible_pairs_displace_nothing() -> None:
    worth = np.array([[0.9, 0.8], [0.85, -np.inf]])
    assert best_pairs(worth, at_least=0.1) == [(0, 1), (1, 0)]
