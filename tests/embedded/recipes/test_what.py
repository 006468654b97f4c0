"""What a thing is, and which things of a kind there are."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import ask, hits, prove, seen, thing
from tests.embedded.recipes.told import Told, line
from vidence.embedded.recipes.what import asked_kind, members
from vidence.language.question import read_question
from vidence.schema.agent import OperationCall


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What animal is playing with the woman?", "animal"),
        ("What kind of vehicle is parked at the top right?", "vehicle"),
        ("Which musical instrument does she hold?", "instrument"),
        ("What is poured from?", "pourer"),
        ("What is the man wearing around his neck?", "neckwear"),
        ("What does he wear on his wrist?", "wristwear"),
        ("What stands on three legs?", "threelegged"),
        ("What is she holding in her hand?", "held"),
        ("What lies on the ground?", "loose"),
        ("她手里拿着什么？", "held"),
        ("画面里是什么动物？", "animal"),
        ("What is that?", "thing"),
    ],
)
def test_the_kind_asked_for_is_understood(question: str, kind: str) -> None:
    assert asked_kind(read_question(question).form).kind == kind


def test_every_kind_has_members_with_names_in_both_languages() -> None:
    assert {one.name: one.chinese for one in members("pourer")}["kettle"] == "水壶"
    for kind in ("animal", "pourer", "neckwear", "thing"):
        assert all(not one.chinese.isascii() for one in members(kind))


def test_the_member_that_is_plainly_seen_is_named() -> None:
    world = Told(objects=[thing("horse", 0.5, confidence=0.9), thing("dog", 0.5, confidence=0.2)])
    finding = ask("Which animal is shown?", world)
    assert "horse" in finding.answer
    assert finding.probability >= 0.65


def test_two_that_are_as_likely_are_both_named_with_little_trust() -> None:
    world = Told(objects=[thing("kettle", 0.5, confidence=0.15), thing("jug", 0.5, confidence=0.2)])
    finding = ask("What is poured from?", world)
    assert "kettle" in finding.answer
    assert "jug" in finding.answer
    assert finding.probability < 0.65


def test_a_thing_named_in_the_question_is_not_the_answer() -> None:
    world = Told(objects=[thing("dog", 0.5, confidence=0.9), thing("ball", 0.5, confidence=0.4)])
    assert "ball" in ask("What does the dog chase?", world).answer


def test_the_place_in_the_picture_counts() -> None:
    world = Told(objects=[thing("car", 0.2, confidence=0.8), thing("bus", 0.9, confidence=0.6)])
    assert "bus" in ask("What kind of vehicle is at the right?", world).answer


def test_a_phrase_left_open_is_a_question_about_speech() -> None:
    world = Told(said=[line(0, 3, "We are ready to set sail at dawn.")])
    assert "sail" in ask('Complete: "ready to set ..."', world).answer


def street(call: OperationCall) -> BaseModel | None:
    """Cars all the time, a bicycle later, and once what looks a little like a bus."""
    if call.operation != "detect_objects":
        return hits(call.arguments["query"])
    at = call.arguments["timestamp"]
    there = [thing("car", 0.2), *([thing("bicycle", 0.6)] if at > 10 else [])]
    doubtful = thing("bus", 0.8).model_copy(update={"confidence": 0.55})
    return seen(of_any_category(call), [*there, *([doubtful] if 4 < at < 6 else [])])


def of_any_category(call: OperationCall) -> OperationCall:
    """Return the call for things of every category; the operation itself knows which belong to a group."""
    kept = {name: value for name, value in call.arguments.items() if name != "category"}
    return call.model_copy(update={"arguments": kept})


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What vehicles can be seen?", "A car and a bicycle."),
        ("Which vehicles are there?", "A car and a bicycle."),
        ("视频里有哪些车辆？", "汽车和自行车。"),
    ],
)
def test_all_that_is_seen_of_a_kind_is_listed(question: str, answer: str) -> None:
    assert ask(question, street).answer == answer


def test_where_none_is_seen_none_is_named() -> None:
    def empty(call: OperationCall) -> BaseModel | None:
        return seen(call, []) if call.operation == "detect_objects" else hits(call.arguments["query"])

    assert ask("What animals can be seen?", empty).answer.startswith("None")


@pytest.mark.parametrize(
    ("question", "category", "answer"),
    [
        ("What vehicle is shown?", "bus", "A bus (seen at 2.5 s)."),
        ("What animal is shown?", "dog", "A dog (seen at 2.5 s)."),
        ("视频里是什么动物？", "dog", "狗（2.5 秒）。"),
    ],
)
def test_a_thing_is_named_with_when_it_is_seen(question: str, category: str, answer: str) -> None:
    finding = prove(question, Told(objects=[thing(category, 0.5)]))
    assert finding.answer == answer
    assert finding.claims[0].citations[0].quote == category


def test_a_vague_likeness_is_only_perhaps() -> None:
    finding = prove("What animal is shown?", Told(objects=[thing("fox", 0.5, confidence=0.3)]))
    assert finding.answer.startswith("An animal, perhaps a fox")
    assert finding.probability < 0.6


def test_without_any_likeness_it_cannot_be_told() -> None:
    assert ask("What animal is shown?", Told()).cannot_tell
