"""Agreement of clusters: known values of small cases."""

from __future__ import annotations

import pytest

from vidence.bench.chains import Span, coreference_f1

A, B, C, D, E = ((number, number + 1) for number in range(5))


def _f1(found: list[list[Span]], there: list[list[Span]]) -> float:
    return coreference_f1([(found, there)])


def test_the_same_clusters_agree_wholly() -> None:
    assert _f1([[A, B, C], [D, E]], [[D, E], [A, B, C]]) == pytest.approx(1.0)


def test_a_split_cluster_costs_by_each_measure() -> None:
    # Two of three links are found; each mention has half of its cluster; one of two clusters is matched.
    muc = 2 * 1 * (2 / 3) / (1 + 2 / 3)
    recall = (4 * 0.5) / 4
    b_cubed = 2 * recall / (1 + recall)
    best = 2 * 2 / (4 + 2)
    ceaf = 2 * (best / 2) * best / (best / 2 + best)
    assert _f1([[A, B], [C, D]], [[A, B, C, D]]) == pytest.approx((muc + b_cubed + ceaf) / 3)


def test_a_mention_that_nobody_marked_costs_precision() -> None:
    assert _f1([[A, B, E]], [[A, B]]) < 1.0


def test_nothing_in_common_is_nothing() -> None:
    assert _f1([[A, B]], [[C, D]]) == pytest.approx(0.0)
