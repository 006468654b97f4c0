"""Reading a focus in either language, and choosing the people and things that it asks for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.index.narrate.made import make_thing, one_shot
from vidence.index.narrate.facts import Facts, Moved, People, Person, Place, Said, ShotFacts
from vidence.queries.description.focus import Focus, Kind, mention, parse_focus, wanted_people, wanted_things


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("people", "people"),
        ("人物", "people"),
        ("  Actions ", "actions"),
        ("what happens", "actions"),
        ("发生了什么", "actions"),
        ("objects", "objects"),
        ("物体", "objects"),
        ("setting", "scene"),
        ("背景", "scene"),
        ("pets", "animals"),
        ("动物", "animals"),
        ("what does the title say", "text"),
        ("字幕", "text"),
        ("sounds", "sound"),
        ("有什么声音", "sound"),
        ("unicorns", "unknown"),
        ("独角兽", "unknown"),
    ],
)
def test_a_usual_word_names_a_fixed_focus(text: str, kind: Kind) -> None:
    focus = parse_focus(text)
    assert focus.kind == kind
    assert focus.is_free is (kind == "unknown")
    assert not focus.is_one


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the car", {"car"}),
        ("汽车", {"car"}),
        ("cats and dogs", {"cat", "dog"}),
        ("volcanoes", {"volcano"}),
        ("火山", {"volcano"}),
        ("espresso", {"espresso"}),
        ("牛", {"cow"}),
    ],
)
def test_free_words_are_looked_up_among_what_the_models_can_name(text: str, words: set[str]) -> None:
    focus = parse_focus(text)
    assert focus.kind == "things"
    assert focus.is_free
    assert words <= focus.words


def test_a_word_inside_another_is_not_a_name() -> None:
    assert parse_focus("carpentry").kind == "unknown"
    assert parse_focus("catalogue").kind == "unknown"


@pytest.mark.parametrize(
    ("text", "kind", "colours", "place"),
    [
        ("the man on the left", "people", (), "left"),
        ("what the man on the left is doing", "actions", (), "left"),
        ("左边的人在做什么", "actions", (), "left"),
        ("the rightmost person", "people", (), "right"),
        ("person in red", "people", ("red",), None),
        ("穿红衣服的人", "people", ("red",), None),
    ],
)
def test_a_particular_person_is_known_by_place_and_clothes(
    text: str, kind: Kind, colours: tuple[str, ...], place: Place | None
) -> None:
    focus = parse_focus(text)
    assert (focus.kind, focus.colours, focus.place) == (kind, colours, place)
    assert focus.is_one
    assert not focus.is_free


@pytest.mark.parametrize("text", ["red things", "红色的东西", "something red"])
def test_a_colour_without_a_name_is_a_focus_of_its_own(text: str) -> None:
    assert parse_focus(text) == Focus("coloured", text, colours=("red",))


@pytest.mark.parametrize("text", ["the red car on the right", "右边的红色汽车"])
def test_a_thing_keeps_its_colour_and_place(text: str) -> None:
    focus = parse_focus(text)
    assert (focus.kind, focus.colours, focus.place) == ("things", ("red",), "right")


RED_CAR = make_thing("car", colour="red", place="right", kind="vehicle")
BLUE_CUP = make_thing("cup", colour="blue", place="left", kind="kitchenware")
CAT = make_thing("cat")


def _names(focus: str, *, shot: ShotFacts | None = None) -> list[str]:
    shown = shot or one_shot(things=(RED_CAR, BLUE_CUP, CAT)).shots[0]
    return [thing.name.en for thing in wanted_things(shown, parse_focus(focus))]


@pytest.mark.parametrize(
    ("focus", "names"),
    [
        ("objects", ["car", "cup", "cat"]),
        ("animals", ["cat"]),
        ("动物", ["cat"]),
        ("the cup", ["cup"]),
        ("杯子", ["cup"]),
        ("a red cup", []),
        ("a blue cup", ["cup"]),
        ("red things", ["car"]),
        ("红色的东西", ["car"]),
        ("things on the left", ["cup", "cat"]),
        ("the car on the left", []),
        ("右边的汽车", ["car"]),
    ],
)
def test_only_things_that_fit_the_focus_are_told(focus: str, names: list[str]) -> None:
    assert _names(focus) == names


def test_a_thing_of_unknown_colour_may_be_the_one_but_is_not_called_red() -> None:
    shot = one_shot(things=(replace(CAT, colour=None),)).shots[0]
    assert _names("a red cat", shot=shot) == ["cat"]
    assert _names("red things", shot=shot) == []


def _people(*persons: Person, followed: tuple[Person, ...] = ()) -> ShotFacts:
    people = People(len(persons), len(persons), 0.9, True, persons, followed=followed)
    return one_shot(people=people).shots[0]


LEFT_RED, RIGHT_BLUE = Person("left", upper="red", lower="black"), Person("right", upper="blue")


@pytest.mark.parametrize(
    ("focus", "expected"),
    [
        ("the man on the left", [LEFT_RED]),
        ("右边的人", [RIGHT_BLUE]),
        ("person in black", [LEFT_RED]),
        ("穿蓝衣服的人", [RIGHT_BLUE]),
        ("person in green", []),
        ("people", []),
    ],
)
def test_a_person_is_chosen_by_place_or_clothes(focus: str, expected: list[Person]) -> None:
    assert wanted_people(_people(LEFT_RED, RIGHT_BLUE), parse_focus(focus)) == expected


def test_at_most_two_people_are_chosen_and_none_twice() -> None:
    third = Person("left", upper="green")
    shot = _people(LEFT_RED, followed=(LEFT_RED, third, Person("left", upper="white")))
    assert wanted_people(shot, parse_focus("the man on the left")) == [LEFT_RED, third]


@pytest.mark.parametrize(("moved", "found"), [("left_to_right", True), ("nearer", False), (None, False)])
def test_somebody_who_crosses_the_picture_is_on_both_sides(moved: Moved | None, found: bool) -> None:
    walker = Person("right", moved=moved)
    assert bool(wanted_people(_people(walker), parse_focus("the man on the left"))) is found


def test_a_shot_without_people_has_nobody_to_choose() -> None:
    assert wanted_people(one_shot().shots[0], parse_focus("the man on the left")) == []


def _spoken(*quotes: str, texts: tuple[str, ...] = ()) -> Facts:
    return one_shot(said=Said(quotes, True), texts=texts)


@pytest.mark.parametrize(
    ("focus", "expected"),
    [
        ("coins", "An old coin lay there"),
        ("how many coins do you see", "An old coin lay there"),
        ("古钱", "这里有一枚古钱"),
        ("tickets", "TICKET OFFICE"),
        ("unicorns", None),
        ("独角兽", None),
    ],
)
def test_a_sentence_that_mentions_it_is_found_in_speech_and_on_screen(
    focus: str, expected: str | None
) -> None:
    facts = _spoken("Nothing here", "An old coin lay there", "这里有一枚古钱", texts=("TICKET OFFICE",))
    assert mention(facts, parse_focus(focus)) == expected


def test_words_that_only_ask_mention_nothing() -> None:
    assert mention(_spoken("Look how many colours you see"), parse_focus("how many zorbs do you see")) is None
