"""What a description says and in what order, for each level of detail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.index.narrate.made import make_thing, one_shot
from vidence.index.narrate.chinese import Chinese
from vidence.index.narrate.describe import confidence_of
from vidence.index.narrate.english import English
from vidence.index.narrate.facts import (
    Facts,
    Heard,
    Name,
    People,
    Person,
    PictureStyle,
    Said,
    Setting,
    ShotFacts,
)
from vidence.index.narrate.plan import brief, compose, detailed, order_of, pad, spoken_shots, standard
from vidence.index.narrate.voice import Order, phrases, quotes_within, rank_ways
from vidence.schema.time import TimeRange

ENGLISH, CHINESE = English(), Chinese()
NAMES = ("dog", "cat", "cup", "horse", "car", "bird", "chair", "book", "bottle", "clock", "boat", "sheep")


def _shots(names: Sequence[str], **parts: object) -> Facts:
    shots = [
        replace(
            ShotFacts(TimeRange(start_time=at, end_time=at + 1), things=(make_thing(name),)),
            **parts,  # type: ignore[arg-type]
        )
        for at, name in enumerate(names)
    ]
    return Facts(TimeRange(start_time=0, end_time=len(names)), tuple(shots), frames=len(names))


def test_shots_that_would_repeat_the_sentence_before_are_left_out() -> None:
    facts = _shots(["dog", "dog", "cat", "dog"])
    kept = spoken_shots(facts.shots, ENGLISH)
    assert [shot.span.start_time for shot in kept] == [0, 2, 3]


def test_a_brief_description_names_as_many_shots_as_fit() -> None:
    few = brief(_shots(NAMES[:3]), ENGLISH)
    assert few == "First we see a dog, then a cat, and finally a cup."
    many = brief(_shots(NAMES), ENGLISH)
    assert many == "We see a dog, then a cat, then a cup, then a horse, then a car, and more."
    assert ENGLISH.fits(many)
    assert CHINESE.fits(brief(_shots(NAMES), CHINESE))


def test_a_brief_description_drops_details_until_it_fits() -> None:
    shot = one_shot(
        things=(make_thing("dog", place="left", colour="black"), make_thing("dining table", colour="brown")),
        camera="pan_left",
        texts=("A LONG LINE OF TEXT",),
    )
    sentence = brief(shot, ENGLISH)
    assert ENGLISH.fits(sentence)
    assert "black dog is on the left" in sentence
    assert not ENGLISH.fits(ENGLISH.brief(shot.shots[0])[0])


def test_two_shots_are_told_in_two_sentences_and_more_in_one() -> None:
    two = standard(_shots(["dog", "cat"]), ENGLISH)
    assert two == ["At first, the picture shows a dog.", "Then the picture shows a cat."]
    three = standard(_shots(["dog", "cat", "cup"]), ENGLISH)
    assert three == ["First we see a dog, then a cat, and finally a cup."]


def test_speech_and_actions_are_told_before_camera_and_style() -> None:
    facts = one_shot(
        people=People(1, 1, 0.9, True, (Person("left"),)),
        actions=(Name("running", "", "跑步"),),
        said=Said(("Hello there",), True),
        camera="pan_left",
        style=PictureStyle(light="dark"),
    )
    assert standard(facts, ENGLISH) == [
        "A person is on the left.",
        "This person seems to be running.",
        "A voice says “Hello there”.",
    ]


def test_a_title_is_quoted_once_where_its_subject_quotes_it() -> None:
    facts = one_shot(texts=("LAUNCH TONIGHT",), is_title=True, camera="static")
    told = compose(facts, "standard", ENGLISH)
    assert sum("LAUNCH" in sentence for sentence in told) == 1
    many = _shots(NAMES[:3], texts=("LAUNCH TONIGHT",))
    assert "Text on screen reads “LAUNCH TONIGHT”." in standard(many, ENGLISH)


def test_a_still_camera_is_told_only_after_everything_else() -> None:
    still = one_shot(things=(make_thing("dog"),), camera="static", style=PictureStyle(light="dark"))
    assert standard(still, ENGLISH)[1:] == ["The camera stays still.", "The picture is dark."]
    music = replace(still.shots[0], sounds=(Heard("music", "音乐"),), texts=("EXIT",))
    told = standard(Facts(still.span, (music,), 2), ENGLISH)
    assert told[1:] == ["Text on screen reads “EXIT”.", "Music can be heard."]


def test_a_detailed_description_ends_with_its_extent_and_tells_each_shot() -> None:
    told = detailed(_shots(["dog", "cat", "cup"], camera="zoom_in"), ENGLISH)
    assert told[-1] == "The passage lasts 3.0 seconds in 3 shots; 3 frames were examined for it."
    assert [told[0], told[2], told[4]] == [
        "At first, the picture shows a dog.",
        "Then the picture shows a cat.",
        "Finally, the picture shows a cup.",
    ]
    assert told[1] == told[3] == told[5] == "The camera zooms in."


def test_of_many_shots_only_the_main_things_are_told() -> None:
    facts = _shots(NAMES[:5], setting=Setting(Name("in a kitchen", "", "厨房里")), camera="zoom_in")
    told = " ".join(detailed(facts, ENGLISH))
    assert "kitchen" not in told
    assert told.count("The camera zooms in.") == 5
    silent = " ".join(detailed(_shots(NAMES[:5], is_silent=True), ENGLISH))
    assert silent.count("There is no sound.") == 1


def test_a_long_span_is_told_by_twelve_shots_from_first_to_last() -> None:
    names = [NAMES[at % 2] for at in range(30)]
    told = detailed(_shots([*names[:-1], "zebra"]), ENGLISH)
    seen = [sentence for sentence in told if "the picture shows" in sentence.lower()]
    assert len(seen) == 12
    assert seen[0] == "At first, the picture shows a dog."
    assert seen[-1] == "Finally, the picture shows a zebra."


@pytest.mark.parametrize(
    ("detail", "least", "most"), [("brief", 1, 1), ("standard", 2, 3), ("detailed", 6, 40)]
)
@pytest.mark.parametrize("voice", [ENGLISH, CHINESE])
def test_an_empty_shot_still_fills_its_level(
    detail: str, least: int, most: int, voice: English | Chinese
) -> None:
    told = compose(one_shot(), detail, voice)  # type: ignore[arg-type]
    assert least <= len(told) <= most
    assert len(told) == len(set(told))


def test_padding_adds_only_what_is_missing_and_never_repeats() -> None:
    facts = one_shot(things=(make_thing("dog"),), camera="static")
    assert pad(["One.", "One."], facts, "standard", ENGLISH) == ["One.", "The camera stays still."]
    assert pad(["One.", "Two.", "Three.", "Four."], facts, "standard", ENGLISH) == ["One.", "Two.", "Three."]


def test_padding_denies_only_what_was_looked_for_and_not_found() -> None:
    dog = one_shot(things=(make_thing("dog"),), is_moving=True)
    told = pad([], dog, "detailed", ENGLISH)
    assert "Nobody is seen." in told
    assert "No text is seen on screen." in told
    assert "No animal is recognised." not in told
    assert "Nothing much happens before the camera." not in told
    mute = pad([], replace(dog, has_sound=False), "detailed", ENGLISH)
    assert "The video has no sound track." in mute
    assert "Nobody is heard speaking." not in mute


@pytest.mark.parametrize(
    ("total", "orders"),
    [
        (1, ["only"]),
        (2, ["first", "next"]),
        (3, ["first", "next", "last"]),
        (6, ["first", "next", "again", "later", "next", "last"]),
    ],
)
def test_sentences_lead_on_from_the_first_shot_to_the_last(total: int, orders: list[Order]) -> None:
    assert [order_of(index, total) for index in range(total)] == orders


def test_confidence_is_weighted_by_the_length_of_the_shots() -> None:
    long = ShotFacts(TimeRange(start_time=0, end_time=3), things=(make_thing("dog", score=0.9),))
    short = ShotFacts(TimeRange(start_time=3, end_time=4), texts=("A",), is_title=True, text_score=0.5)
    facts = Facts(TimeRange(start_time=0, end_time=4), (long, short), 2)
    assert confidence_of(facts) == pytest.approx((3 * 0.9 + 0.5) / 4)


def test_confidence_is_that_of_what_the_subject_names() -> None:
    dog = make_thing("dog", score=0.8)
    unsure, sure = People(1, 1, 0.55, False), People(1, 1, 0.9, True)
    assert confidence_of(one_shot(people=unsure, things=(dog,))) == pytest.approx(0.8)
    assert confidence_of(one_shot(people=unsure)) == pytest.approx(0.55)
    assert confidence_of(one_shot(people=sure, things=(dog,))) == pytest.approx(0.9)
    assert confidence_of(one_shot(style=PictureStyle(blank=True))) > 0.9
    assert confidence_of(one_shot()) < 0.5


def test_quotes_stop_where_fewer_than_four_words_are_left() -> None:
    shot = one_shot(said=Said(("one two three", "four", "five six"), True)).shots
    assert quotes_within(shot, 8, lambda quote: len(quote.split())) == (
        ["“one two three”", "“four”", "“five six”"],
        True,
    )
    assert quotes_within(shot, 6, lambda quote: len(quote.split())) == (["“one two three”"], False)
    assert quotes_within(one_shot().shots, 6, len) == ([], True)


def test_a_richer_core_counts_before_a_tail() -> None:
    assert rank_ways(["dog and cat", "dog"], [" runs", " here"]) == [
        "dog and cat runs here",
        "dog and cat runs",
        "dog and cat here",
        "dog and cat",
        "dog runs here",
        "dog runs",
        "dog here",
        "dog",
    ]


@pytest.mark.parametrize("kind", ["place", "moved", "posture", "camera", "order", "absent", "focus"])
def test_both_languages_have_words_for_the_same_values(kind: str) -> None:
    english, chinese = phrases(kind, "en"), phrases(kind, "zh")
    assert english.keys() == chinese.keys()
    assert english
    assert all(english.values())
    assert all(chinese.values())
