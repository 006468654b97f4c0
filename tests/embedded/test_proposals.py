"""Proposals are compared by what they say."""

from __future__ import annotations

import pytest

from vidence.embedded.proposals import Proposal, Source, agreement, best_proven, fitting, polarity_of
from vidence.language.question import read_question


def _said(answer: str, source: Source = "reader") -> Proposal:
    return Proposal(source, answer, 0.5)


@pytest.mark.parametrize(
    ("question", "one", "other", "expected"),
    [
        ("Is there a dog?", "Yes, at 3 s.", "Yes.", 1.0),
        ("Is there a dog?", "No, none.", "Yes.", -1.0),
        ("有狗吗？", "没有。", "有。", -1.0),
        ("How many dogs are there?", "2 dogs", "two", 1.0),
        ("How many dogs are there?", "2 dogs", "3", -1.0),
        ("What colour is it?", "Red", "dark red", 1.0),
        ("What colour is it?", "Red", "blue", -1.0),
        ("What is he holding?", "A blue basket", "basket", 1.0),
        ("What is he holding?", "A phone", "basket", 0.0),
    ],
)
def test_candidates_agree_by_what_was_asked(question: str, one: str, other: str, expected: float) -> None:
    assert agreement(_said(one), _said(other), read_question(question)) == expected


def test_words_are_not_seen_in_a_picture() -> None:
    question = read_question("What is her name?")
    assert fitting([_said("Anna", "look"), _said("Anna")], question) == [_said("Anna")]


@pytest.mark.parametrize("answer", ["Yes.", "2.", "None.", "Red.", "没有。"])
def test_a_thing_is_neither_a_colour_nor_a_number(answer: str) -> None:
    question = read_question("What is she holding?")
    assert fitting([_said(answer, "look")], question) == []
    assert fitting([_said("A red cup.", "look")], question)


def test_of_choices_one_is_taken() -> None:
    question = read_question("Is this indoors or outdoors?")
    assert fitting([_said("Yes."), _said("Indoors.")], question) == [_said("Indoors.")]


@pytest.mark.parametrize(
    ("answer", "polarity"),
    [("Yes.", "yes"), ("No helmet.", "no"), ("没有看到。", "no"), ("是的", "yes"), ("A dog", None)],
)
def test_yes_and_no_are_told_apart(answer: str, polarity: str | None) -> None:
    assert polarity_of(answer) == polarity


@pytest.mark.parametrize(
    ("question", "best", "measured", "told"),
    [
        ("Is there a dog?", "No.", "No, no dog was seen.", "No, no dog was seen."),
        ("Is there a dog?", "Yes.", "No, no dog was seen.", "Yes."),
        ("Is he climbing?", "Yes.", "Yes: A person is climbing.", "Yes: A person is climbing."),
        ("How many dogs are there?", "2.", "2 dogs (at 3.0 s)", "2 dogs (at 3.0 s)"),
        ("How many dogs are there?", "2.", "1 dog (at 2.0 s)", "2."),
        ("有几只狗？", "2。", "两只狗（3 秒）", "两只狗（3 秒）"),
        ("What does the sign say?", "Bakery.", "BAKERY.", "BAKERY."),
        ("What does the sign say?", "Bakery.", "“EXIT” and “BAKERY”.", "Bakery."),
    ],
)
def test_the_same_answer_is_given_with_the_better_proof(
    question: str, best: str, measured: str, told: str
) -> None:
    proposals = (_said(best, "look"), _said(measured, "measured"))
    assert best_proven(proposals[0], proposals, read_question(question)).answer == told


@pytest.mark.parametrize(
    ("question", "empty", "telling"),
    [("What breed is the dog?", "Dog.", "Poodle."), ("这只狗是什么狗？", "狗。", "黑色的贵宾犬。")],
)
def test_a_look_that_repeats_the_question_says_nothing(question: str, empty: str, telling: str) -> None:
    assert fitting([_said(empty, "look")], read_question(question)) == []
    assert fitting([_said(telling, "look")], read_question(question))
