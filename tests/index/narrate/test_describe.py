"""Descriptions: as long as their level asks, true to the facts, in two languages."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.index.narrate.made import facts as made_facts
from tests.index.narrate.made import make_thing, one_shot
from vidence.index.narrate.describe import describe
from vidence.index.narrate.facts import (
    Facts,
    Name,
    People,
    Person,
    PictureStyle,
    ShotFacts,
)
from vidence.index.narrate.voice import Language
from vidence.schema.time import TimeRange

languages = st.sampled_from(["en", "zh"])
anything = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@anything
@given(made_facts(), languages, st.sampled_from(["brief", "standard", "detailed"]))
def test_confidence_is_a_probability_and_prose_is_tidy(facts: Facts, language: Language, detail: str) -> None:
    found = describe(facts, detail=detail, language=language)  # type: ignore[arg-type]
    assert 0 <= found.confidence <= 1
    assert "  " not in found.text
    assert "None" not in found.text
    assert not re.search(r"\b(a a|an a|a an) ", found.text)
    if language == "zh":
        outside = re.sub(r"“[^”]*”", "", found.text)
        assert not re.search(r"[,;:!?]", outside), found.text


def test_a_still_cat_is_said_in_both_languages() -> None:
    facts = one_shot(things=(make_thing("cat", colour="brown", area=0.9),), camera="zoom_in")
    assert (
        describe(facts, detail="brief").text
        == "A brown cat fills most of the picture as the camera zooms in."
    )
    assert (
        describe(facts, detail="brief", language="zh").text == "一只棕色的猫占据了大部分画面，镜头逐渐推近。"
    )


def test_doubtful_things_are_hedged() -> None:
    facts = one_shot(things=(make_thing("clock", sure=False, score=0.55),))
    assert describe(facts, detail="brief").text == "The picture shows what may be a clock."
    assert describe(facts, detail="brief", language="zh").text == "画面中可能有一个钟。"


def test_two_people_are_told_apart() -> None:
    each = (Person("left", upper="red"), Person("right", upper="blue", posture="sitting"))
    facts = one_shot(people=People(2, 2, 0.9, True, each))
    text = describe(facts).text
    assert "Two people are in view." in text
    assert "One, in a red top, is on the left; the other, in a blue top, sits on the right." in text
    assert "画面中有两个人" in describe(facts, language="zh").text


def test_coffee_is_counted_by_the_cup() -> None:
    coffee = Name("coffee", "coffees", "咖啡", "杯")
    facts = one_shot(things=(make_thing("cup", contents=coffee, area=0.6),))
    assert "cup of coffee" in describe(facts, detail="brief").text
    assert "一杯咖啡" in describe(facts, detail="brief", language="zh").text


def test_shots_are_told_in_order() -> None:
    first = ShotFacts(TimeRange(start_time=0, end_time=2), things=(make_thing("cat"),))
    second = ShotFacts(TimeRange(start_time=2, end_time=4), things=(make_thing("horse"),))
    facts = Facts(TimeRange(start_time=0, end_time=4), (first, second), frames=4)
    assert describe(facts, detail="brief").text == "First we see a cat, and then a horse."
    assert re.search(r"At first,.*cat.*Then.*horse", describe(facts).text)
    assert re.search(r"起初.*猫.*随后.*马", describe(facts, language="zh").text)


def test_a_picture_with_nothing_nameable_says_so() -> None:
    facts = one_shot(style=PictureStyle(grey=True))
    found = describe(facts, detail="brief")
    assert found.text == "Nothing in the black-and-white picture can be named with confidence."
    assert found.confidence < 0.5


def test_people_spoken_of_are_not_introduced_again() -> None:
    talk = Name("having a meeting", "", "开会")
    text = describe(one_shot(people=People(2, 2, 0.9, True), actions=(talk,))).text
    assert text.startswith("Two people are in view. They seem to be having a meeting.")


def test_every_action_label_is_said_in_words() -> None:
    from vidence.language.tables import read_table

    labels = {row[0] for row in read_table("kinetics400.tsv")}
    spoken = {row[0]: row[1] for row in read_table("action_names.tsv")}
    assert spoken.keys() <= labels
    said = {spoken.get(label, label) for label in labels}
    # "seems to be …" takes a verb in -ing: rock climbing, training a dog.
    assert not [words for words in said if not re.match(r"(\S+ ){0,2}\S+ing\b", words)]
    assert not [words for words in said if "(" in words]
