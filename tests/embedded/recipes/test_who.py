"""People are named by text or speech, else described by what can be seen of them."""

from __future__ import annotations

import pytest

from tests.embedded.recipes.seen import ask, prove, thing
from tests.embedded.recipes.told import Told, line, text

PEOPLE = [thing("person", 0.2, clothing_color="red"), thing("person", 0.8, clothing_color="blue")]


def test_a_name_on_screen_says_who_it_is() -> None:
    world = Told(objects=[text("Jane Miller", y=0.8)])
    assert "Jane Miller" in ask("Who is the woman?", world).answer


def test_a_person_without_a_name_is_described() -> None:
    world = Told(
        objects=[thing("person", 0.2, clothing_color="red"), thing("person", 0.8, clothing_color="grey")]
    )
    finding = ask("Who stands on the left?", world)
    assert "left" in finding.answer
    assert finding.probability < 0.65


@pytest.mark.parametrize(
    ("question", "words", "answer"),
    [
        ("Who is the speaker?", "Hello, my name is Anna Berg.", "Anna Berg."),
        ("Who is speaking?", "I am Tom and this is my dog.", "Tom."),
        ("谁在说话？", "大家好，我叫王小明。", "王小明。"),
    ],
)
def test_people_who_name_themselves_are_named(question: str, words: str, answer: str) -> None:
    finding = prove(question, Told(said=[line(1, 3, words)]))
    assert finding.answer == answer
    assert finding.claims[0].citations[0].quote == words


def test_a_name_on_screen_comes_before_one_in_speech() -> None:
    world = Told(said=[line(1, 3, "I am Tom Reed.")], objects=[text("Jane Miller", y=0.8)])
    assert prove("Who is the speaker?", world).answer == "Jane Miller."


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is on the right?", "The person on the right dressed in blue."),
        ("Who is on the left?", "The person on the left dressed in red."),
        ("右边的人是谁？", "右边穿蓝色上衣的人。"),
    ],
)
def test_people_are_described_by_side_and_clothes(question: str, answer: str) -> None:
    assert prove(question, Told(objects=PEOPLE)).answer == answer


def test_the_one_nearest_to_a_thing_is_meant() -> None:
    world = Told(objects=[*PEOPLE, thing("dog", 0.75)])
    assert "on the right" in prove("Who is next to the dog?", world).answer


def test_somebody_alone_needs_no_side() -> None:
    finding = prove("Who is there?", Told(objects=PEOPLE[:1]))
    assert finding.answer == "The person dressed in red."


def test_without_people_nobody_is_named() -> None:
    assert ask("Who is there?", Told()).cannot_tell
