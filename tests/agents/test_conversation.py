"""Follow-ups rewritten to questions that stand by themselves."""

from __future__ import annotations

import pytest

from vidence.agents.conversation import Turn, resolve

DOG = Turn("Is there a brown dog?", "Yes", (3.0, 7.5))
CUP = Turn("What is the man holding?", "a cup")
COUNT = Turn("How many dogs are there?", "2", (0.0, 4.0))
DOG_ZH = Turn("视频里有狗吗？", "有", (3.0, 7.5))


@pytest.mark.parametrize(
    ("said", "turns", "meant"),
    [
        ("And after that?", [DOG], "What happens after 7.5 seconds?"),
        ("what happens next?", [DOG], "What happens after 7.5 seconds?"),
        ("What happened before that?", [DOG], "What happens before 3 seconds?"),
        ("那之后呢？", [DOG_ZH], "7.5 秒之后发生了什么？"),
        ("然后呢？", [DOG_ZH], "7.5 秒之后发生了什么？"),
        ("之前呢？", [DOG_ZH], "3 秒之前发生了什么？"),
        ("What colour is it?", [CUP], "What colour is the cup?"),
        ("Where does it go?", [DOG], "Where does the brown dog go?"),
        ("What is he doing?", [Turn("Is there a man?", "Yes")], "What is the man doing?"),
        ("它是什么颜色的？", [DOG_ZH], "狗是什么颜色的？"),
        ("What about the cats?", [COUNT], "How many cats are there?"),
        ("那猫呢？", [Turn("有几只狗？", "两只")], "有几只猫？"),
        ("What colour?", [DOG], "What colour is the brown dog?"),
        ("什么颜色？", [DOG_ZH], "狗是什么颜色的？"),
        ("What colour is it?", [COUNT], "What colour is the dog?"),
        ("Does he drink?", [CUP], "Does the man drink?"),
        ("Is it full?", [CUP], "Is the cup full?"),
        ("她在笑吗？", [Turn("那个女人拿着什么？", "一把伞")], "女人在笑吗？"),
        ("And where?", [CUP], "Where is the cup?"),
    ],
)
def test_what_is_left_out_is_put_in(said: str, turns: list[Turn], meant: str) -> None:
    found = resolve(said, turns)
    assert (found.question, found.is_rewritten) == (meant, True)


@pytest.mark.parametrize(
    "said",
    [
        "How many cars are there?",
        "Does the man pick up his bag?",
        "Is it raining?",
        "视频里有几个人？",
        "那个人在做什么？",
    ],
)
def test_a_question_that_stands_by_itself_is_left_alone(said: str) -> None:
    found = resolve(said, [DOG, CUP])
    assert (found.question, found.is_rewritten) == (said, False)


def test_nothing_is_put_in_where_nothing_was_said_before() -> None:
    assert resolve("And after that?", []).question == "And after that?"
    assert resolve("What colour is it?", [Turn("What happens?", "It rains.")]).target != "man"


def test_without_times_the_last_question_says_after_what() -> None:
    found = resolve("And then?", [Turn("Does the man sit down?", "Yes")])
    assert found.question == "What happens after this: “Does the man sit down”?"
