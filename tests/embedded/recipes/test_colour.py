"""Colours: of things, of what people wear, of the one that is pointed at."""

from __future__ import annotations

from tests.embedded.recipes.seen import ask, thing
from tests.embedded.recipes.told import Told

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
