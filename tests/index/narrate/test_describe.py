"""Descriptions: as long as their level asks, true to the facts, in two languages."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.index.narrate.made import facts as made_facts
from vidence.index.narrate.describe import describe
from vidence.index.narrate.facts import Facts, Look, Name, People, Person, Said, ShotFacts, Thing
from vidence.index.narrate.focus import parse_focus
from vidence.index.narrate.naming import category_name
from vidence.index.narrate.voice import Language
from vidence.schema.time import TimeRange

SPAN = TimeRange(start_time=3, end_time=5)
FOCUSES = (
    None,
    "people",
    "actions",
    "objects",
    "scene",
    "animals",
    "text",
    "sound",
    "a red cup",
    "猫",
    "unicorns",
)

languages = st.sampled_from(["en", "zh"])
anything = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _count(text: str, language: Language) -> int:
    """Count sentences: full stops outside quotation marks."""
    outside = re.sub(r"“[^”]*”", "“”", text)
    ends = r"[.!?](?=\s|$)" if language == "en" else r"[。！？]"
    return len(re.findall(ends, outside))


def _words(text: str) -> int:
    """Count words, taking one and a half Chinese characters for one."""
    latin = re.findall(r"[A-Za-z0-9'’.-]+", text)
    return len(latin) + round(len(re.findall(r"[\u3400-\u9fff]", text)) / 1.6)


def _one(**parts: object) -> Facts:
    return Facts(SPAN, (replace(ShotFacts(SPAN), **parts),), frames=2)  # type: ignore[arg-type]


def _thing(category: str, **parts: object) -> Thing:
    base = Thing(category_name(category), "animal", frozenset({category}), 0.9, sure=True)
    return replace(base, **parts)  # type: ignore[arg-type]


@anything
@given(made_facts(), languages, st.sampled_from(FOCUSES))
def test_brief_is_one_sentence_of_fewer_than_twenty_words(
    facts: Facts, language: Language, focus: str | None
) -> None:
    asked = parse_focus(focus) if focus else None
    text = describe(facts, detail="brief", focus=asked, language=language).text
    assert _count(text, language) == 1, text
    assert (len(text.split()) if language == "en" else _words(text)) < 20, text


@anything
@given(made_facts(), languages, st.sampled_from(FOCUSES))
def test_standard_is_two_or_three_sentences(facts: Facts, language: Language, focus: str | None) -> None:
    asked = parse_focus(focus) if focus else None
    text = describe(facts, detail="standard", focus=asked, language=language).text
    assert 2 <= _count(text, language) <= 3, text


@anything
@given(made_facts(), languages, st.sampled_from(FOCUSES))
def test_detailed_is_more_than_five_sentences(facts: Facts, language: Language, focus: str | None) -> None:
    asked = parse_focus(focus) if focus else None
    text = describe(facts, detail="detailed", focus=asked, language=language).text
    assert _count(text, language) > 5, text


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
    facts = _one(things=(_thing("cat", colour="brown", area=0.9),), camera="zoom_in")
    assert (
        describe(facts, detail="brief").text
        == "A brown cat fills most of the picture as the camera zooms in."
    )
    assert (
        describe(facts, detail="brief", language="zh").text == "一只棕色的猫占据了大部分画面，镜头逐渐推近。"
    )


def test_doubtful_things_are_hedged() -> None:
    facts = _one(things=(_thing("clock", sure=False, score=0.55),))
    assert describe(facts, detail="brief").text == "The picture shows what may be a clock."
    assert describe(facts, detail="brief", language="zh").text == "画面中可能有一个钟。"


def test_two_people_are_told_apart() -> None:
    each = (Person("left", upper="red"), Person("right", upper="blue", posture="sitting"))
    facts = _one(people=People(2, 2, 0.9, True, each))
    text = describe(facts).text
    assert "Two people are in view." in text
    assert "One, in a red top, is on the left; the other, in a blue top, sits on the right." in text
    assert "画面中有两个人" in describe(facts, language="zh").text


def test_coffee_is_counted_by_the_cup() -> None:
    coffee = Name("coffee", "coffees", "咖啡", "杯")
    facts = _one(things=(_thing("cup", contents=coffee, area=0.6),))
    assert "cup of coffee" in describe(facts, detail="brief").text
    assert "一杯咖啡" in describe(facts, detail="brief", language="zh").text


def test_shots_are_told_in_order() -> None:
    first = ShotFacts(TimeRange(start_time=0, end_time=2), things=(_thing("cat"),))
    second = ShotFacts(TimeRange(start_time=2, end_time=4), things=(_thing("horse"),))
    facts = Facts(TimeRange(start_time=0, end_time=4), (first, second), frames=4)
    assert describe(facts, detail="brief").text == "First we see a cat, and then a horse."
    assert re.search(r"At first,.*cat.*Then.*horse", describe(facts).text)
    assert re.search(r"起初.*猫.*随后.*马", describe(facts, language="zh").text)


@pytest.mark.parametrize(
    ("focus", "language", "expected"),
    [
        ("cat", "en", "No cat is seen between 3 s and 5 s."),
        ("people", "en", "No people are seen between 3 s and 5 s."),
        ("animals", "zh", "在3秒到5秒之间没有看到动物。"),
        ("猫", "zh", "在3秒到5秒之间没有看到猫。"),
        ("unicorns", "en", "No unicorns are recognised between 3 s and 5 s."),
    ],
)
def test_what_was_not_seen_is_said_plainly(focus: str, language: Language, expected: str) -> None:
    facts = _one(things=(replace(_thing("cup"), kind="kitchenware"),))
    found = describe(facts, detail="brief", focus=parse_focus(focus), language=language)
    assert found.text == expected
    assert found.confidence <= 0.6


def test_a_thing_only_spoken_of_is_quoted_as_such() -> None:
    facts = _one(said=Said(("Here we see old coins",), True))
    text = describe(facts, focus=parse_focus("coins")).text
    assert "No coins are recognised" in text
    assert "“Here we see old coins”" in text


def test_colours_of_a_free_focus_must_fit() -> None:
    facts = _one(things=(_thing("cup", colour="blue"),))
    assert describe(facts, detail="brief", focus=parse_focus("red cup")).text.startswith("No red cup")
    assert "blue cup" in describe(facts, detail="brief", focus=parse_focus("a blue cup")).text


def test_a_picture_with_nothing_nameable_says_so() -> None:
    facts = _one(look=Look(grey=True))
    found = describe(facts, detail="brief")
    assert found.text == "Nothing in the black-and-white picture can be named with confidence."
    assert found.confidence < 0.5
