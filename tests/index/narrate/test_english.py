"""English sentences from facts: articles, numbers, doubt, places and what is left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.index.narrate.made import SPAN, make_thing
from vidence.index.narrate.english import English
from vidence.index.narrate.english_nouns import (
    an,
    joined,
    people_phrase,
    person_clothes,
    shot_phrase,
    thing_phrase,
    things_phrase,
    view_words,
)
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
    Thing,
)
from vidence.index.scene.kind import MadeKind
from vidence.schema.time import TimeRange

VOICE = English()
BARE = ShotFacts(SPAN)
KITCHEN = Setting(
    Name("in a kitchen", "", "厨房里"), Name("in daylight", "", "白天"), Name("sunny", "", "晴")
)
DOG, CAT, CUP = make_thing("dog"), make_thing("cat"), make_thing("cup")
ONE = People(1, 1, 0.9, True, (Person("left", posture="sitting"),))


@pytest.mark.parametrize(
    ("noun", "phrase"),
    [
        ("dog", "a dog"),
        ("apple", "an apple"),
        ("orange cat", "an orange cat"),
        ("umbrella", "an umbrella"),
        ("uniform", "a uniform"),
        ("one-way sign", "a one-way sign"),
        ("bread", "bread"),
        ("brown bread", "brown bread"),
        ("toilet paper", "toilet paper"),
        ("bowl of soup", "a bowl of soup"),
    ],
)
def test_the_article_follows_the_sound_and_mass_nouns_have_none(noun: str, phrase: str) -> None:
    assert an(noun) == phrase


def test_parts_are_joined_with_commas_and_a_final_and() -> None:
    assert joined([]) == ""
    assert joined(["a"]) == "a"
    assert joined(["a", "b"]) == "a and b"
    assert joined(["a", "b", "c"]) == "a, b and c"


def test_things_are_counted_in_words_up_to_six_and_then_are_many() -> None:
    assert thing_phrase(replace(DOG, count=2)) == "two dogs"
    assert thing_phrase(replace(DOG, count=6, colour="black")) == "six black dogs"
    assert thing_phrase(replace(DOG, count=7)) == "many dogs"


def test_a_bare_phrase_drops_the_colour_but_not_the_doubt() -> None:
    unsure = replace(DOG, colour="black", sure=False)
    assert thing_phrase(unsure) == "what may be a black dog"
    assert thing_phrase(unsure, bare=True) == "what may be a dog"


def test_doubtful_things_come_last_under_one_hedge() -> None:
    doubtful = [replace(CAT, sure=False), DOG, replace(CUP, sure=False)]
    assert things_phrase(doubtful) == "a dog and what may be a cat and a cup"


@pytest.mark.parametrize(
    ("count", "phrase"),
    [
        (1, "a person"),
        (2, "two people"),
        (3, "three people"),
        (4, "about four people"),
        (10, "about ten people"),
        (11, "a crowd of people"),
    ],
)
def test_more_people_are_counted_less_exactly(count: int, phrase: str) -> None:
    assert people_phrase(People(count, count, 0.9, True)) == phrase
    assert people_phrase(People(count, count, 0.6, False)) == f"what may be {phrase}"


def test_clothes_are_told_as_far_as_they_are_known() -> None:
    assert person_clothes(Person("left")) == ""
    assert person_clothes(Person("left", upper="red")) == " in a red top"
    assert person_clothes(Person("left", upper="orange")) == " in an orange top"
    assert person_clothes(Person("left", lower="blue")) == " wearing blue below the waist"
    assert person_clothes(Person("left", upper="red", lower="red")) == " dressed in red"
    both = Person("left", upper="white", lower="blue")
    assert person_clothes(both) == " wearing white on top and blue below"


def test_a_shot_is_named_by_people_then_things_then_place_then_title_then_colour() -> None:
    plain = replace(BARE, style=PictureStyle(colours=("green",)))
    title = replace(plain, texts=("ONE TWO THREE FOUR FIVE",), is_title=True)
    placed = replace(plain, setting=KITCHEN)
    assert shot_phrase(plain) == "a mostly green picture"
    assert shot_phrase(title) == "the title “ONE TWO THREE FOUR …”"
    assert shot_phrase(title, bare=True) == "the title “ONE TWO THREE …”"
    assert shot_phrase(placed) == "a scene in a kitchen"
    assert shot_phrase(replace(placed, things=(DOG,))) == "a dog"
    assert shot_phrase(replace(placed, things=(DOG,), people=ONE)) == "a person"
    assert shot_phrase(replace(title, setting=KITCHEN)).startswith("the title")


@pytest.mark.parametrize(
    ("style", "words"),
    [
        (PictureStyle(blank=True, colours=("black",)), "a plain black screen"),
        (PictureStyle(blank=True), "a plain grey screen"),
        (PictureStyle(grey=True), "a black-and-white picture"),
        (PictureStyle(light="dark", colours=("blue",)), "a dark mostly blue picture"),
        (PictureStyle(), "a picture"),
    ],
)
def test_a_picture_without_things_is_named_by_its_light_and_colours(style: PictureStyle, words: str) -> None:
    assert view_words(style) == words


def test_the_subject_puts_a_certain_thing_before_a_doubtful_person() -> None:
    unsure = People(1, 1, 0.55, False)
    shot = replace(BARE, people=unsure, things=(replace(DOG, place="left"),))
    assert VOICE.subject(shot) == "A dog is on the left, and what may be a person."
    assert VOICE.subject(replace(shot, people=ONE)) == "A person sits on the left, with a dog."


@pytest.mark.parametrize(
    ("thing", "sentence"),
    [
        (replace(DOG, moved="left_to_right"), "A dog moves across the picture from left to right."),
        (replace(DOG, moved="nearer", area=0.9), "A dog comes nearer."),
        (replace(DOG, area=0.55), "A dog fills most of the picture."),
        (replace(DOG, place="right"), "A dog is on the right."),
        (replace(DOG, place="right", sure=False), "The picture shows what may be a dog."),
        (replace(DOG, place="right", count=3), "The picture shows three dogs."),
        (DOG, "The picture shows a dog."),
    ],
)
def test_one_certain_thing_is_told_by_its_motion_then_size_then_place(thing: Thing, sentence: str) -> None:
    assert VOICE.subject(replace(BARE, things=(thing,))) == sentence


def test_a_title_is_quoted_on_its_background() -> None:
    title = replace(BARE, texts=("LAUNCH TONIGHT",), is_title=True)
    assert VOICE.subject(title) == "A title reads “LAUNCH TONIGHT”."
    blue = replace(title, style=PictureStyle(colours=("blue",)))
    assert VOICE.subject(blue) == "A title reads “LAUNCH TONIGHT” on a blue background."


def test_a_screen_with_a_caption_is_not_called_plain() -> None:
    screen = replace(BARE, style=PictureStyle(blank=True, colours=("black",)))
    assert VOICE.subject(screen) == "The screen is plain black."
    assert VOICE.subject(replace(screen, texts=("42",))) == "The screen is black."


def test_a_place_without_things_admits_that_nothing_is_named_only_when_alone() -> None:
    shot = replace(BARE, setting=KITCHEN)
    alone = "The scene seems to be in a kitchen, in daylight, but nothing in it can be named with confidence."
    assert VOICE.subject(shot) == alone
    assert VOICE.subject(shot, "next") == "Then the scene seems to be in a kitchen, in daylight."


def test_a_sentence_loses_its_lead_when_it_stands_alone() -> None:
    first = VOICE.subject(replace(BARE, things=(DOG,)), "first")
    assert first == "At first, the picture shows a dog."
    assert VOICE.alone(first) == "The picture shows a dog."


@pytest.mark.parametrize(
    ("person", "sentence"),
    [
        (Person("left", upper="red", posture="standing"), "A person in a red top stands on the left."),
        (Person("centre"), "A person is in the middle."),
        (Person("centre", area=0.6), "A person is seen close up."),
        (
            Person("left", posture="walking", moved="right_to_left"),
            "A person walks across the picture from right to left.",
        ),
        (Person("left", moved="away"), "A person moves away."),
    ],
)
def test_one_person_is_told_with_clothes_posture_and_place(person: Person, sentence: str) -> None:
    shot = replace(BARE, people=People(1, 1, 0.9, True, (person,)))
    assert VOICE.people_focus(shot, "only") == sentence


def test_only_groups_of_three_or_more_stir() -> None:
    def told(count: int, *, walking: bool = False) -> str | None:
        people = People(count, count, 0.9, True, walking=walking)
        return VOICE.people_focus(replace(BARE, people=people, is_moving=True), "only")

    assert told(2, walking=True) == "Two people are in view."
    assert told(3) == "Three people are in view and moving about."
    assert told(12, walking=True) == "A crowd of people are in view, most of them walking."


def test_three_people_are_told_apart_and_one_needs_no_telling_apart() -> None:
    each = (Person("left"), Person("centre", posture="lying"), Person("right", upper="red"))
    told = VOICE.each_person(People(3, 3, 0.9, True, each))
    assert told == "One is on the left; another lies in the middle; the third, in a red top, is on the right."
    assert VOICE.each_person(People(1, 1, 0.9, True, each[:1])) is None


def test_a_focus_on_one_person_names_the_doubt() -> None:
    person = Person("right", upper="blue", posture="sitting")
    assert VOICE.person_focus(person, "only") == "A person, in a blue top, sits on the right."
    unsure = VOICE.person_focus(person, "later", sure=False)
    assert unsure == "After that, what may be a person, in a blue top, sits on the right."


def test_more_things_agree_with_their_verb() -> None:
    assert VOICE.more(()) is None
    assert VOICE.more((DOG,)) == "A dog is also in view."
    assert VOICE.more((replace(DOG, count=2),)) == "Two dogs are also in view."
    assert VOICE.more((DOG, CAT, CUP, DOG, CAT)) == "A dog, a cat, a cup and a dog are also in view."


def test_only_certain_things_that_stay_are_placed() -> None:
    things = (
        replace(DOG, place="left"),
        replace(CAT, place="right", sure=False),
        replace(CUP, place="centre", moved="away"),
        CUP,
    )
    assert VOICE.where(things) == "The dog is on the left."
    assert VOICE.where(things[1:]) is None


def test_an_action_is_given_to_people_only_when_they_are_certain() -> None:
    run = (Name("running", "", "跑步"),)
    sure = replace(BARE, people=ONE, actions=run)
    assert VOICE.actions(sure) == "A person seems to be running."
    assert VOICE.actions(sure, again=True) == "This person seems to be running."
    many = replace(sure, people=People(2, 2, 0.9, True))
    assert VOICE.actions(many) == "Two people seem to be running."
    unsure = replace(sure, people=People(1, 1, 0.5, False))
    assert VOICE.actions(unsure) == "The activity looks like running."


def test_without_a_named_action_motion_posture_and_speech_are_told() -> None:
    assert VOICE.actions(BARE) is None
    moving = replace(BARE, things=(DOG, replace(CAT, moved="away")), people=ONE)
    assert VOICE.actions(moving) == "A cat moves away."
    assert VOICE.actions(replace(BARE, people=ONE)) == "A person sits on the left."
    still = People(1, 1, 0.9, True, (Person("left"),))
    assert VOICE.actions(replace(BARE, people=still)) is None
    spoken = replace(BARE, people=still, said=Said(is_heard=True))
    assert VOICE.actions(spoken) == "A person is in view while a voice speaks."


def test_the_setting_lists_place_time_and_weather() -> None:
    assert VOICE.setting(BARE) is None
    told = VOICE.setting(replace(BARE, setting=KITCHEN), "last")
    assert told == "Finally, the scene seems to be in a kitchen, in daylight, sunny."


def test_the_style_is_not_repeated_where_the_subject_named_the_colours() -> None:
    style = PictureStyle(light="dark", colours=("blue", "black"))
    assert VOICE.style(replace(BARE, style=style)) is None
    with_dog = replace(BARE, things=(DOG,), style=style)
    assert VOICE.style(with_dog) == "The picture is dark and mostly blue and black."
    grey = replace(with_dog, style=PictureStyle(grey=True, light="bright"))
    assert VOICE.style(grey) == "The picture is black and white and bright."
    assert VOICE.style(replace(with_dog, style=PictureStyle())) is None


def test_long_texts_are_cut_and_further_ones_are_only_mentioned() -> None:
    assert VOICE.text((), limit=3) is None
    assert VOICE.text(("A", "B", "C"), limit=2) == "Text on screen reads “A”, “B” and more."
    long = " ".join("abcdefghijklmn")
    assert VOICE.text((long,), limit=1) == "Text on screen reads “a b c d e f g h i j k l …”."


def test_speech_is_quoted_within_its_limit() -> None:
    said = replace(BARE, said=Said(("one two three", "four five six seven eight"), True))
    assert VOICE.speech([said], limit=24) == "A voice says “one two three” and “four five six seven eight”."
    assert VOICE.speech([said], limit=6) == "A voice says “one two three”, and goes on."
    heard = replace(BARE, said=Said(is_heard=True))
    assert VOICE.speech([BARE, heard], limit=9) == "Someone speaks, but the words cannot be made out."
    assert VOICE.speech([BARE], limit=9) is None


def test_sounds_are_named_once_and_silence_only_where_every_shot_is_silent() -> None:
    music, rain = Heard("music", "音乐"), Heard("rain", "雨声")
    one, two = replace(BARE, sounds=(music,)), replace(BARE, sounds=(music, rain), is_silent=True)
    assert VOICE.sounds([one, two], has_track=True) == "Music and rain can be heard."
    silent = replace(BARE, is_silent=True)
    assert VOICE.sounds([silent, silent], has_track=True) == "There is no sound."
    assert VOICE.sounds([silent, BARE], has_track=True) is None
    assert VOICE.sounds([one], has_track=False) == "The video has no sound track."


def test_what_is_asked_for_and_not_seen_is_denied_within_the_span() -> None:
    span = TimeRange(start_time=3.25, end_time=12)
    assert VOICE.none_seen("a dog?", span, is_known=True) == "No dog is seen between 3.25 s and 12 s."
    assert VOICE.none_seen("dogs", span, is_known=True) == "No dogs are seen between 3.25 s and 12 s."
    unknown = VOICE.none_seen("the gadget", span, is_known=False)
    assert unknown == "No gadget is recognised between 3.25 s and 12 s."
    long = VOICE.none_seen("a man who eats soup", span, is_known=True)
    assert long == "Nothing like “a man who eats soup” is seen between 3.25 s and 12 s."
    chinese = VOICE.none_seen("狗", span, is_known=True)
    assert chinese.startswith("Nothing like “狗” is seen")


def test_nobody_in_a_colour_or_place_is_said_so() -> None:
    assert VOICE.nobody(None, (), SPAN) == "Nobody is recognised between 3 s and 5 s."
    told = VOICE.nobody("left", ("red", "blue"), SPAN)
    assert told == "Nobody in red and blue is recognised on the left between 3 s and 5 s."


def test_the_extent_counts_shots_and_frames_in_the_right_number() -> None:
    one = Facts(SPAN, (BARE,), frames=1)
    assert VOICE.extent(one) == "The passage lasts 2.0 seconds in one shot; one frame was examined for it."
    two = Facts(SPAN, (BARE, BARE), frames=9)
    assert VOICE.extent(two) == "The passage lasts 2.0 seconds in 2 shots; 9 frames were examined for it."


def test_a_sequence_says_whether_it_is_complete() -> None:
    dog, cat, cup = (replace(BARE, things=(thing,)) for thing in (DOG, CAT, CUP))
    assert VOICE.sequence([dog, cat], total=2) == "First we see a dog, and then a cat."
    three = VOICE.sequence([dog, cat, cup], total=3)
    assert three == "First we see a dog, then a cat, and finally a cup."
    assert VOICE.sequence([dog, cat], total=5) == "We see a dog, then a cat, and more."


def test_brief_ways_go_from_the_richest_to_one_that_fits() -> None:
    shot = replace(
        BARE,
        things=(replace(DOG, place="left", colour="black"), CAT),
        camera="pan_left",
        texts=("A LINE OF TEXT",),
    )
    ways = VOICE.brief(shot)
    assert ways[0].startswith("A black dog is on the left, with a cat as the camera pans to the left; ")
    assert ways[0].endswith("the text reads “A LINE OF TEXT”.")
    assert ways[-1] == "We see a dog."
    assert len(ways) == len(set(ways))
    assert VOICE.fits(ways[-1])


def test_a_still_or_shaky_camera_is_no_part_of_a_brief_sentence() -> None:
    for camera in ("static", "handheld"):
        shot = replace(BARE, things=(DOG,), camera=camera)
        assert not any("camera" in way for way in VOICE.brief(shot))
    assert VOICE.camera(replace(BARE, camera="handheld")) == "The camera is held by hand and shakes."
    assert VOICE.camera(BARE) is None


def test_a_sentence_fits_up_to_nineteen_words() -> None:
    assert VOICE.fits("word " * 19)
    assert not VOICE.fits("word " * 20)


@pytest.mark.parametrize(
    ("kind", "words"), [("screen", "a screen recording or slides"), ("graphic", "a drawing or graphic")]
)
def test_what_was_not_filmed_is_said_to_be_so(kind: MadeKind, words: str) -> None:
    shot = replace(BARE, style=PictureStyle(kind=kind, colours=("white",)))
    assert VOICE.kind(shot) == f"The picture is {words}."
    assert VOICE.subject(shot) == f"The picture is {words}."
    assert shot_phrase(shot) == words
    assert VOICE.kind(BARE) is None
