"""Descriptions: as long as their level asks, true to the facts, in two languages."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.index.narrate.made import facts as made_facts
from vidence.index.narrate.describe import describe
from vidence.index.narrate.facts import (
    Facts,
    Look,
    Name,
    People,
    Person,
    Said,
    Setting,
    ShotFacts,
    Thing,
)
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
    "red things",
    "what the man on the left is doing",
    "穿红衣服的人",
    "what does the text say?",
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


CROWD = People(
    6,
    8,
    0.9,
    True,
    walking=True,
    followed=(Person("left", upper="brown", posture="walking"), Person("right", upper="red", lower="blue")),
)


def test_the_person_on_the_left_is_found_among_many() -> None:
    focus = parse_focus("what the man on the left is doing")
    text = describe(_one(people=CROWD), focus=focus).text
    assert text.startswith("A person, in a brown top, walks on the left.")
    assert "most of them walking" in text
    chinese = describe(_one(people=CROWD), focus=parse_focus("左边的人在做什么"), language="zh").text
    assert chinese.startswith("有一人在画面左侧走动，穿着棕色上衣。")


def test_nobody_on_that_side_is_said_plainly() -> None:
    facts = _one(people=People(1, 1, 0.9, True, (Person("right"),)))
    found = describe(facts, focus=parse_focus("the man on the left"))
    assert found.text.startswith("Nobody is recognised on the left between 3 s and 5 s.")
    assert found.confidence < 0.5


def test_a_colour_alone_finds_things_and_clothes_of_that_colour_only() -> None:
    facts = _one(
        people=CROWD, things=(_thing("cup", colour="blue"), _thing("car", colour="red", place="right"))
    )
    for focus, language, words in (
        ("red things", "en", ("red car", "wearing red on top")),
        ("红色的东西", "zh", ("红色的汽车", "上身穿红色")),
    ):
        text = describe(facts, focus=parse_focus(focus), language=language).text  # type: ignore[arg-type]
        assert all(word in text for word in words), text
        assert "cup" not in text
        assert "杯子" not in text
    none = describe(facts, detail="brief", focus=parse_focus("green things")).text
    assert none == "No green things are recognised between 3 s and 5 s."


def test_a_doubtful_person_stays_doubtful_under_a_focus() -> None:
    facts = _one(people=People(1, 1, 0.55, False, (Person("centre", upper="white"),)))
    text = describe(facts, detail="brief", focus=parse_focus("a woman in a white shirt")).text
    assert text == "What may be a person, in a white top, is in the middle."


def test_places_and_actions_of_several_shots_come_in_order() -> None:
    field, meeting = Name("in a field", "", "田野里"), Name("in a meeting room", "", "会议室里")
    talk = Name("having a meeting", "", "开会")
    first = ShotFacts(TimeRange(start_time=0, end_time=2), setting=Setting(field))
    pair = People(2, 2, 0.9, True)
    second = ShotFacts(
        TimeRange(start_time=2, end_time=4), people=pair, setting=Setting(meeting), actions=(talk,)
    )
    facts = Facts(TimeRange(start_time=0, end_time=4), (first, second), frames=4)
    scene = describe(facts, focus=parse_focus("scene")).text
    assert scene.startswith(
        "At first, the scene seems to be in a field. Then the scene seems to be in a meeting"
    )
    assert describe(facts, focus=parse_focus("actions")).text.startswith(
        "Two people seem to be having a meeting."
    )


def test_what_is_not_there_is_denied_in_words_that_fit() -> None:
    facts = _one(look=Look(colours=("grey",)))
    said = {
        focus: describe(facts, focus=parse_focus(focus)).text for focus in ("objects", "scene", "actions")
    }
    assert said["objects"].startswith("No object can be named with confidence.")
    assert said["scene"].startswith("Where the scene is cannot be told.")
    assert said["actions"].startswith("Nothing much happens before the camera.")
    assert describe(facts, focus=parse_focus("what does the text say?")).text.startswith("No text is seen")


def test_people_spoken_of_are_not_introduced_again() -> None:
    talk = Name("having a meeting", "", "开会")
    text = describe(_one(people=People(2, 2, 0.9, True), actions=(talk,))).text
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
