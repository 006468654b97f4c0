"""Descriptions with a focus: it is answered first, at every level of detail, in two languages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.index.narrate.made import count_sentences, count_words, make_thing, one_shot
from tests.index.narrate.made import facts as made_facts
from vidence.index.narrate.describe import describe
from vidence.index.narrate.facts import (
    Facts,
    Name,
    People,
    Person,
    PictureStyle,
    Said,
    Setting,
    ShotFacts,
)
from vidence.index.narrate.voice import Language
from vidence.queries.description.focused import describe_focus
from vidence.schema.time import TimeRange

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


CROWD = People(
    6,
    8,
    0.9,
    True,
    walking=True,
    followed=(Person("left", upper="brown", posture="walking"), Person("right", upper="red", lower="blue")),
)


@anything
@given(made_facts(), languages, st.sampled_from(FOCUSES))
def test_brief_is_one_sentence_of_fewer_than_twenty_words(
    facts: Facts, language: Language, focus: str | None
) -> None:
    text = describe_focus(facts, focus, detail="brief", language=language).text
    assert count_sentences(text, language) == 1, text
    assert (len(text.split()) if language == "en" else count_words(text)) < 20, text


@anything
@given(made_facts(), languages, st.sampled_from(FOCUSES))
def test_standard_is_two_or_three_sentences(facts: Facts, language: Language, focus: str | None) -> None:
    text = describe_focus(facts, focus, detail="standard", language=language).text
    assert 2 <= count_sentences(text, language) <= 3, text


@anything
@given(made_facts(), languages, st.sampled_from(FOCUSES))
def test_detailed_is_more_than_five_sentences(facts: Facts, language: Language, focus: str | None) -> None:
    text = describe_focus(facts, focus, detail="detailed", language=language).text
    assert count_sentences(text, language) > 5, text


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
    facts = one_shot(things=(replace(make_thing("cup"), kind="kitchenware"),))
    found = describe_focus(facts, focus, detail="brief", language=language)
    assert found.text == expected
    assert found.confidence <= 0.6


def test_a_thing_only_spoken_of_is_quoted_as_such() -> None:
    facts = one_shot(said=Said(("Here we see old coins",), True))
    text = describe_focus(facts, "coins").text
    assert "No coins are recognised" in text
    assert "“Here we see old coins”" in text


def test_colours_of_a_free_focus_must_fit() -> None:
    facts = one_shot(things=(make_thing("cup", colour="blue"),))
    assert describe_focus(facts, "red cup", detail="brief").text.startswith("No red cup")
    assert "blue cup" in describe_focus(facts, "a blue cup", detail="brief").text


def test_the_person_on_the_left_is_found_among_many() -> None:
    text = describe_focus(one_shot(people=CROWD), "what the man on the left is doing").text
    assert text.startswith("A person, in a brown top, walks on the left.")
    assert "most of them walking" in text
    chinese = describe_focus(one_shot(people=CROWD), "左边的人在做什么", language="zh").text
    assert chinese.startswith("有一人在画面左侧走动，穿着棕色上衣。")


def test_nobody_on_that_side_is_said_plainly() -> None:
    facts = one_shot(people=People(1, 1, 0.9, True, (Person("right"),)))
    found = describe_focus(facts, "the man on the left")
    assert found.text.startswith("Nobody is recognised on the left between 3 s and 5 s.")
    assert found.confidence < 0.5


def test_a_colour_alone_finds_things_and_clothes_of_that_colour_only() -> None:
    facts = one_shot(
        people=CROWD,
        things=(make_thing("cup", colour="blue"), make_thing("car", colour="red", place="right")),
    )
    for focus, language, words in (
        ("red things", "en", ("red car", "wearing red on top")),
        ("红色的东西", "zh", ("红色的汽车", "上身穿红色")),
    ):
        text = describe_focus(facts, focus, language=language).text  # type: ignore[arg-type]
        assert all(word in text for word in words), text
        assert "cup" not in text
        assert "杯子" not in text
    none = describe_focus(facts, "green things", detail="brief").text
    assert none == "No green things are recognised between 3 s and 5 s."


def test_a_doubtful_person_stays_doubtful_under_a_focus() -> None:
    facts = one_shot(people=People(1, 1, 0.55, False, (Person("centre", upper="white"),)))
    text = describe_focus(facts, "a woman in a white shirt", detail="brief").text
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
    scene = describe_focus(facts, "scene").text
    assert scene.startswith(
        "At first, the scene seems to be in a field. Then the scene seems to be in a meeting"
    )
    assert describe_focus(facts, "actions").text.startswith("Two people seem to be having a meeting.")


def test_what_is_not_there_is_denied_in_words_that_fit() -> None:
    facts = one_shot(style=PictureStyle(colours=("grey",)))
    said = {focus: describe_focus(facts, focus).text for focus in ("objects", "scene", "actions")}
    assert said["objects"].startswith("No object can be named with confidence.")
    assert said["scene"].startswith("Where the scene is cannot be told.")
    assert said["actions"].startswith("Nothing much happens before the camera.")
    assert describe_focus(facts, "what does the text say?").text.startswith("No text is seen")
    assert "No " not in describe_focus(facts, "Is he climbing?").text
    assert describe_focus(facts, "climbing").text.startswith("No climbing")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_without_a_focus_the_plain_description_comes_back(language: Language) -> None:
    facts = one_shot(things=(make_thing("cat"),))
    assert describe_focus(facts, None, language=language) == describe(facts, language=language)


@pytest.mark.parametrize(
    ("focus", "language", "start"),
    [
        ("text", "en", "LAUNCH TONIGHT"),
        ("字幕", "zh", "LAUNCH TONIGHT"),
        ("sound", "en", "This is a cat"),
        ("声音", "zh", "This is a cat"),
    ],
)
def test_words_read_and_heard_are_quoted_in_the_first_sentence(
    focus: str, language: Language, start: str
) -> None:
    facts = one_shot(texts=("LAUNCH TONIGHT",), text_score=0.9, said=Said(("This is a cat",), True))
    first = describe_focus(facts, focus, language=language).text.split("”")[0]
    assert start in first


def test_a_known_thing_that_is_absent_is_denied_more_surely_than_an_unknown_one() -> None:
    facts = one_shot(things=(make_thing("cup", kind="kitchenware"),))
    known, unknown = (describe_focus(facts, focus).confidence for focus in ("a cat", "unicorns"))
    assert (known, unknown) == (0.6, 0.35)


def test_a_denial_goes_on_with_what_is_seen_instead() -> None:
    facts = one_shot(things=(make_thing("cup", kind="kitchenware"),))
    assert "cup" in describe_focus(facts, "unicorns").text
    assert "杯" in describe_focus(facts, "独角兽", language="zh").text


def test_only_the_shots_that_show_it_are_described() -> None:
    cat = ShotFacts(TimeRange(start_time=0, end_time=2), things=(make_thing("cat"),))
    car = ShotFacts(TimeRange(start_time=2, end_time=4), things=(make_thing("car", kind="vehicle"),))
    facts = Facts(TimeRange(start_time=0, end_time=4), (cat, car), frames=4)
    for focus, language, there, other in (("the car", "en", "car", "cat"), ("汽车", "zh", "汽车", "猫")):
        found = describe_focus(facts, focus, detail="brief", language=language)  # type: ignore[arg-type]
        assert there in found.text
        assert other not in found.text


def test_the_confidence_of_what_is_seen_is_the_mean_over_its_shots() -> None:
    first = ShotFacts(TimeRange(start_time=0, end_time=2), things=(make_thing("cat", score=0.9),))
    second = ShotFacts(TimeRange(start_time=2, end_time=4), things=(make_thing("cat", score=0.5),))
    facts = Facts(TimeRange(start_time=0, end_time=4), (first, second), frames=4)
    assert describe_focus(facts, "cat").confidence == pytest.approx(0.7)


def test_an_action_shown_twice_is_told_once() -> None:
    talk = Name("having a meeting", "", "开会")
    shots = tuple(
        ShotFacts(
            TimeRange(start_time=start, end_time=start + 2), people=People(2, 2, 0.9, True), actions=(talk,)
        )
        for start in (0.0, 2.0)
    )
    facts = Facts(TimeRange(start_time=0, end_time=4), shots, frames=4)
    assert describe_focus(facts, "actions", detail="brief").text.count("meeting") == 1
    assert describe_focus(facts, "动作", detail="brief", language="zh").text.count("开会") == 1


def test_a_picture_of_the_colour_itself_answers_a_colour() -> None:
    facts = one_shot(style=PictureStyle(colours=("red",)))
    assert "red" in describe_focus(facts, "red things", detail="brief").text
    assert "No " not in describe_focus(facts, "red things", detail="brief").text
    assert "红" in describe_focus(facts, "红色的东西", detail="brief", language="zh").text
