"""Questions put the way the people they name would have told the answer."""

from __future__ import annotations

import pytest

from vidence.memory.embedding import as_told_by


@pytest.mark.parametrize(
    ("question", "speakers", "told"),
    [
        ("What digestive issue did Sam experience lately?", ["Sam"], "digestive issue I experience lately"),
        ("What kind of dog is Anna's favourite?", ["Anna"], "dog my favourite"),
        ("Why did Anna Smith sell her car?", ["Anna Smith"], "I sell my car"),
        ("小明养了什么宠物？", ["小明"], "我养了宠物"),
    ],
)
def test_a_question_about_a_person_becomes_their_statement(
    question: str, speakers: list[str], told: str
) -> None:
    assert as_told_by(question, speakers) == told


def test_a_question_that_names_nobody_stays_as_it_is() -> None:
    assert as_told_by("Where is the red door?", []) == "Where is the red door?"


def test_a_question_made_of_a_name_alone_is_not_lost() -> None:
    assert as_told_by("Sam?", ["Sam"]) == "I"
    assert as_told_by("谁？", ["小明"]) == "谁？"
