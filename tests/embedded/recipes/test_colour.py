"""Colours: of things, of what people wear, of the one that is pointed at."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import ask, prove, thing
from tests.embedded.recipes.told import Told
from vidence.ops.detect_objects import DetectedObject, DetectObjectsResult
from vidence.schema.agent import OperationCall

_PEOPLE = [
    thing("person", 0.2, clothing_color="red", lower_clothing_color="black"),
    thing("person", 0.8, clothing_color="green", lower_clothing_color="blue"),
]


def test_a_thing_has_the_colour_that_was_measured() -> None:
    assert ask("What colour is the mug?", Told(objects=[thing("cup", 0.5, color="blue")])).answer == "Blue."
    assert ask("杯子是什么颜色？", Told(objects=[thing("cup", 0.5, color="blue")])).answer == "蓝色。"


def test_the_person_pointed_at_is_the_one_measured() -> None:
    assert ask("What colour is the jacket of the man on the right?", Told(objects=_PEOPLE)).answer == "Green."
    assert ask("What colour is the coat of the woman at the left?", Told(objects=_PEOPLE)).answer == "Red."


def test_several_garments_are_answered_together() -> None:
    finding = ask("What are the colours of the woman's top and trousers?", Told(objects=_PEOPLE[:1]))
    assert "red top" in finding.answer.lower()
    assert "black trousers" in finding.answer.lower()


def test_the_top_of_a_bottle_is_its_cap() -> None:
    world = Told(objects=[thing("bottle", 0.3, color="grey", top_color="yellow")])
    assert ask("What colour are the bottle caps?", world).answer == "Yellow."
    assert ask("瓶盖是什么颜色的？", world).answer == "黄色。"


def test_what_was_not_found_is_not_given_a_colour() -> None:
    finding = ask("What colour is the umbrella?", Told())
    assert finding.cannot_tell
    assert "umbrella" in finding.answer


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What colour is it?", "It cannot be told from this video."),
        ("它是什么颜色？", "从这个视频无法判断。"),
        ("那三幢楼的楼顶是什么颜色？", "楼顶"),
    ],
)
def test_only_what_has_a_name_is_named_as_not_found(question: str, words: str) -> None:
    assert words in ask(question, Told()).answer


@pytest.mark.parametrize(
    ("question", "seen", "answer"),
    [
        ("What colour is the bottle cap?", thing("bottle", 0.5, color="green", top_color="blue"), "Blue."),
        ("瓶盖是什么颜色的？", thing("bottle", 0.5, color="green", top_color="blue"), "蓝色。"),
        ("What colour are his trousers?", _PEOPLE[0], "Black."),
        ("他的裤子是什么颜色？", _PEOPLE[0], "黑色。"),
        ("What colour is her hair?", thing("person", 0.5, hair_color="brown"), "Brown."),
        ("What colour is the dog?", thing("dog", 0.5, color="brown and white"), "Brown and white."),
    ],
)
def test_the_part_that_is_asked_for_is_the_one_measured(
    question: str, seen: DetectedObject, answer: str
) -> None:
    finding = prove(question, Told(objects=[seen]))
    assert finding.answer == answer
    assert all(claim.citations[0].quote for claim in finding.claims)


def test_a_bag_may_be_detected_as_another_kind_of_bag() -> None:
    def backpack(call: OperationCall) -> BaseModel | None:
        if call.operation != "detect_objects":
            return None
        named = call.arguments.get("category") == "accessory"
        bag = thing("backpack", 0.5, color="black")
        found = [bag] if named else []
        return DetectObjectsResult(timestamp=call.arguments["timestamp"], objects=found)

    finding = prove("What colour is the handbag?", backpack)
    assert finding.answer == "Black."
    assert (
        finding.probability
        < prove(
            "What colour is the handbag?", Told(objects=[thing("handbag", 0.5, color="black")])
        ).probability
    )


def test_a_thing_that_is_not_found_has_no_colour() -> None:
    finding = ask("What colour is the dog?", Told(described="A street."))
    assert finding.cannot_tell
    assert finding.claims
