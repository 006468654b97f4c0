"""One attribute is asked for: the weather, the time of day, the language that is spoken."""

from __future__ import annotations

import pytest

from tests.embedded.recipes.told import Told, line
from tests.embedded.test_answering import Session
from vidence.embedded.recipes.attributes import attribute_of
from vidence.language.question import read_question
from vidence.schema.reading import ReaderReply


@pytest.mark.parametrize(
    ("question", "attribute"),
    [
        ("How is the weather?", "weather"),
        ("天气怎么样？", "weather"),
        ("What time of day is it?", "time_of_day"),
        ("现在是一天中的什么时候？", "time_of_day"),
        ("What language do they speak?", "language"),
        ("他说的是哪国语言？", "language"),
        ("牌子上是什么语言？", None),
        ("How is the food?", None),
        ("What time does he leave?", None),
    ],
)
def test_the_attribute_is_read_from_the_question(question: str, attribute: str | None) -> None:
    assert attribute_of(read_question(question)) == attribute


@pytest.mark.parametrize(
    ("question", "language", "answer"),
    [("What is the weather like?", "en", "sunny"), ("What time of day is it?", "en", "daylight"),
     ("天气怎么样？", "zh", "晴")],
)  # fmt: skip
def test_most_looks_decide_about_the_scene(question: str, language: str, answer: str) -> None:
    world = Told(scene={"location": "outdoor_park", "weather": "sunny", "time_of_day": "daytime"})
    payload = Session(world, ReaderReply()).answer(question, language)
    assert answer in payload.final_answer
    assert payload.claims


@pytest.mark.parametrize(
    ("said", "answer"),
    [("The weather is nice and we are in the garden.", "English"), ("今天天气很好，我们去公园。", "Chinese")],
)
def test_the_transcript_tells_which_language_is_spoken(said: str, answer: str) -> None:
    world = Told(said=[line(1, 3, said)])
    payload = Session(world, ReaderReply()).answer("What language is spoken?")
    assert payload.final_answer == f"{answer}."


def test_an_unknown_language_is_not_guessed() -> None:
    world = Told(said=[line(1, 3, "Je suis très content de vous voir ici.")])
    assert Session(world, ReaderReply()).answer("What language is spoken?").cannot_tell
