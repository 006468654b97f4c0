"""Probabilities follow what was measured, and no further than so few questions allow."""

from __future__ import annotations

from itertools import pairwise
from typing import get_args

import pytest

from tests.embedded.recipes.seen import ask, prove, thing
from tests.embedded.recipes.told import Told
from vidence.embedded.recipes.catalogue import Outcomes, calibrated, find_recipe
from vidence.language.question import Kind, read_question


def test_a_kind_that_is_right_more_often_than_it_says_is_raised() -> None:
    assert Outcomes(asked=40, right=36, said=0.6).shift > 0
    assert Outcomes(asked=40, right=10, said=0.6).shift < 0
    assert Outcomes(asked=10, right=6, said=0.6).shift == pytest.approx(0.0)


def test_few_questions_move_little_and_many_decide() -> None:
    few, many = Outcomes(2, 2, 0.5), Outcomes(2000, 2000 * 9 // 10, 0.5)
    assert 0.5 < few.rate < 0.6
    assert many.rate == pytest.approx(0.9, abs=0.01)


@pytest.mark.parametrize("kind", get_args(Kind))
def test_what_was_surer_stays_surer(kind: Kind) -> None:
    held = [0.0, 0.05, 0.3, 0.5, 0.7, 0.9, 1.0]
    told = [calibrated(kind, probability) for probability in held]
    assert all(0 < one <= after < 1 for one, after in pairwise(told))
    assert told[1] < told[-2]


@pytest.mark.parametrize("kind", get_args(Kind))
def test_weak_answers_are_left_alone_and_never_become_sure(kind: Kind) -> None:
    assert calibrated(kind, 0.3) == pytest.approx(0.3)
    assert calibrated(kind, 0.649) < 0.65


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_kind_has_a_recipe(kind: Kind) -> None:
    assert callable(find_recipe(kind))


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many dogs are there?", "count"),
        ("What colour is the dog?", "colour"),
        ("Is there a dog?", "yes_no"),
        ("狗是什么颜色的？", "colour"),
    ],
)
def test_a_finding_is_calibrated_by_its_kind(question: str, kind: Kind) -> None:
    finding = prove(question, Told(objects=[thing("dog", 0.4, color="brown")]))
    assert read_question(question).form.kind == kind
    assert 0.02 <= finding.probability <= 0.97


def test_what_cannot_be_told_is_not_calibrated() -> None:
    assert ask("How many dogs are there?", lambda call: None).probability == 0.05
