"""A document is as similar as its whole and its best part, also after the table was saved and loaded."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vidence.memory.vectors import VectorTable

QUERY = np.array([1, 0], np.float32)


def _vectors(*rows: tuple[float, float]) -> NDArray[np.float32]:
    return np.array(rows, np.float32)


def _table() -> VectorTable:
    table = VectorTable()
    table.add(_vectors((0.5, 0.5)))
    table.add(None)
    table.add(_vectors((0.25, 0), (0, 1), (0.75, 0)))
    return table


def _similarities(table: VectorTable) -> tuple[list[float], list[float]]:
    whole, best = table.similarities(QUERY)
    return whole.tolist(), best.tolist()


def test_the_best_part_counts_for_its_document() -> None:
    assert _similarities(_table()) == ([0.5, 0, 0.25], [0.5, 0, 0.75])


def test_vectors_may_come_later() -> None:
    table = _table()
    table.set(1, _vectors((0, 1), (1, 0)))
    assert _similarities(table) == ([0.5, 0, 0.25], [0.5, 1, 0.75])


def test_a_query_of_another_length_is_like_nothing() -> None:
    whole, best = _table().similarities(np.ones(3, np.float32))
    assert whole.tolist() == best.tolist() == [0, 0, 0]


def test_a_saved_table_is_loaded_and_goes_on() -> None:
    loaded = VectorTable()
    loaded.fill(_table().to_arrays())
    loaded.add(_vectors((0, 0), (0.5, 0)))
    assert len(loaded) == 4
    assert _similarities(loaded) == ([0.5, 0, 0.25, 0], [0.5, 0, 0.75, 0.5])


def test_many_documents_fill_more_than_one_block() -> None:
    table = VectorTable()
    for n in range(5000):
        table.add(_vectors((n % 2, 1)))
    whole, _ = table.similarities(QUERY)
    assert whole.tolist() == [n % 2 for n in range(5000)]
