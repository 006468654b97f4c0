"""What a question about a story asks for, and whom a follow-up means."""

from __future__ import annotations

import pytest

from vidence.language.question.story import complete_follow_up, story_question_type

PEOPLE = (("Lucy", "female"), ("Robert", "male"), ("林黛玉", "female"))


@pytest.mark.parametrize(
    ("question", "understood"),
    [
        ("Whom does she marry?", "Whom does Lucy marry?"),
        ("Where did he go?", "Where did Robert go?"),
        ("Who is his brother?", "Who is Robert's brother?"),
        ("What was her name?", "What was Lucy's name?"),
        ("Who saw her?", "Who saw Lucy?"),
        ("他们是谁？", "他们是谁？"),
        ("What is it?", "What is it?"),
    ],
)
def test_a_pronoun_is_whoever_was_spoken_of_last(question: str, understood: str) -> None:
    assert complete_follow_up(question, PEOPLE) == understood


def test_a_chinese_pronoun_and_an_unknown_gender() -> None:
    assert complete_follow_up("她嫁给了谁？", PEOPLE[2:]) == "林黛玉嫁给了谁？"
    assert complete_follow_up("他是谁？", PEOPLE[2:]) == "他是谁？"
    assert complete_follow_up("Who is he?", [("Quill", "unknown")]) == "Who is Quill?"


@pytest.mark.parametrize(
    ("question", "names", "kind"),
    [
        ("How is Robert related to Lucy?", ["Robert", "Lucy"], "relation"),
        ("焦大和林黛玉是什么关系？", ["焦大", "林黛玉"], "relation"),
        ("Who is Lucy?", ["Lucy"], "fact"),
        ("少女是如何重回世界的", ["少女"], "journey"),
        ("What became of Lucy?", ["Lucy"], "journey"),
        ("What did Lucy say?", ["Lucy"], "detail"),
        ("How is the weather?", [], "detail"),
    ],
)
def test_the_type_of_a_question(question: str, names: list[str], kind: str) -> None:
    assert story_question_type(question, names) == kind
