"""The figures of question answering, against values worked out by hand or in the literature."""

from __future__ import annotations

import pytest

from vidence.bench.ask_metrics import calibration_bins, ece, ground, mcnemar, wilson


@pytest.mark.parametrize(
    ("right", "total", "low", "high"),
    [(0, 10, 0.0, 0.27753), (5, 10, 0.23659, 0.76341), (10, 10, 0.72247, 1.0), (60, 100, 0.50200, 0.69060)],
)
def test_wilson_intervals_are_the_known_ones(right: int, total: int, low: float, high: float) -> None:
    found = wilson(right, total)
    assert found.share == right / total
    assert found.low == pytest.approx(low, abs=2e-5)
    assert found.high == pytest.approx(high, abs=2e-5)


def test_nothing_asked_tells_nothing() -> None:
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)


def test_mcnemar_counts_only_where_one_alone_is_right() -> None:
    ours = [True] * 9 + [False] * 1 + [True] * 50
    theirs = [False] * 9 + [True] * 1 + [True] * 50
    found = mcnemar(ours, theirs)
    assert (found.ours_only, found.theirs_only) == (9, 1)
    assert found.p == pytest.approx(22 / 1024)  # 2 × (1 + 10) / 2^10


def test_mcnemar_of_equal_systems_is_no_difference() -> None:
    assert mcnemar([True, False], [True, False]).p == 1.0


def test_mcnemar_holds_for_thousands_of_questions() -> None:
    found = mcnemar([True] * 3000 + [False] * 2000, [False] * 3000 + [True] * 2000)
    assert 0 <= found.p < 1e-40


def test_perfect_calibration_has_no_error() -> None:
    assert ece([0.75] * 4, [True, True, True, False]) == pytest.approx(0)


def test_the_calibration_error_is_weighted_by_how_many_answers_a_step_has() -> None:
    held = [0.95, 0.95, 0.95, 0.15]
    right = [True, False, False, False]
    # Three answers held .95 and right 1/3; one held .15 and wrong.
    assert ece(held, right) == pytest.approx((3 * (0.95 - 1 / 3) + 0.15) / 4)


def test_certainty_falls_into_the_last_step() -> None:
    bins = calibration_bins([1.0, 0.0], [True, False])
    assert [(one.number, one.held, one.right) for one in bins] == [(1, 0.0, 0.0), (1, 1.0, 1.0)]


def test_grounding_is_scored_against_the_gold_span_it_fits_best() -> None:
    found = ground([(0.0, 10.0)], [[(5.0, 15.0), (2.0, 4.0)]])
    assert found.miop == pytest.approx(0.5)
    assert found.miou == pytest.approx(5 / 15)
    assert found.iop_half == 1.0
    assert found.iou_half == 0.0


def test_a_missing_or_empty_span_scores_nothing() -> None:
    found = ground([None, (3.0, 3.0), (1.0, 2.0)], [[(0.0, 1.0)], [(0.0, 5.0)], [(1.0, 2.0)]])
    assert found.number == 3
    assert found.miop == pytest.approx(1 / 3)
    assert found.miou == pytest.approx(1 / 3)
