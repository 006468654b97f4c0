"""Which one is meant: by what happens to it, by what it wears, by where it is."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import ask, hits, prove, seen, thing
from tests.embedded.recipes.told import Told
from vidence.ops.get_scene_attributes import GetSceneAttributesResult
from vidence.schema.agent import OperationCall

BOTTLES = [thing("bottle", x) for x in (0.2, 0.5, 0.8)]
MEN = [
    thing("person", 0.3, clothing_color="orange"),
    thing("person", 0.7, clothing_color="grey"),
]


def emptied(call: OperationCall) -> BaseModel | None:
    """The middle bottle goes first, then the left one."""
    if call.operation != "detect_objects":
        return hits(call.arguments.get("query", ""))
    time_s = call.arguments["timestamp"]
    gone = {1} if 6 <= time_s < 12 else {0, 1} if time_s >= 12 else set()
    return seen(call, [one for index, one in enumerate(BOTTLES) if index not in gone])


def couple(call: OperationCall) -> BaseModel | None:
    """Two men; a query for orange finds the left one only."""
    if call.operation != "detect_objects":
        return hits(call.arguments.get("query", ""))
    query = str(call.arguments.get("query", ""))
    return seen(call, MEN[:1] if "orange" in query or "橙" in query else MEN)


def test_the_one_that_goes_first_is_named_by_its_place() -> None:
    assert ask("Which bottle (left, middle, right) is taken away first?", emptied).answer == "The middle one"
    assert ask("Which bottle disappears last?", emptied).answer == "The left one"


def test_the_one_who_wears_something_is_named_by_side() -> None:
    assert ask("Which of the two (left or right) wears the orange shirt?", couple).answer == "The left one"
    assert ask("穿橙色衬衫的是左边的人还是右边的人？", couple).answer == "左边的那个"


def test_a_single_thing_is_placed_in_the_picture() -> None:
    def car(call: OperationCall) -> BaseModel | None:
        return seen(call, [thing("car", 0.85)]) if call.operation == "detect_objects" else None

    assert ask("On which side is the car?", car).answer == "On the right"


def test_the_side_a_wandering_thing_leaves_by_is_where_it_was_last() -> None:
    def dog(call: OperationCall) -> BaseModel | None:
        if call.operation != "detect_objects":
            return None
        at = call.arguments["timestamp"] / 10
        return seen(call, [thing("dog", min(0.9, 0.1 + at))] if at < 0.9 else [])

    assert ask("On which side does the dog leave the picture?", dog).answer == "On the right"


def test_day_or_night_is_read_off_the_scene() -> None:
    def scene(call: OperationCall) -> BaseModel | None:
        if call.operation != "get_scene_attributes":
            return None
        return GetSceneAttributesResult(location="outdoor_street", time_of_day="night")

    assert ask("Is it day or night?", scene).answer == "Night"


PEOPLE = [thing("person", 0.2, clothing_color="red"), thing("person", 0.8, clothing_color="blue")]


def taken(call: OperationCall) -> BaseModel | None:
    """Three bottles; the right one is taken at 8 s."""
    if call.operation != "detect_objects":
        return hits(call.arguments.get("query", ""))
    return seen(call, BOTTLES if call.arguments["timestamp"] < 8 else BOTTLES[:2])


def dressed(call: OperationCall) -> BaseModel | None:
    """Somebody in red on the left, somebody in blue on the right."""
    if call.operation != "detect_objects":
        return hits(call.arguments.get("query", ""))
    query = str(call.arguments.get("query", ""))
    return seen(call, PEOPLE[1:] if "blue" in query or "蓝" in query else PEOPLE)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which bottle is taken away, the left or the right?", "The right one"),
        ("Which bottle disappears first?", "The right one"),
        ("哪个瓶子被拿走了？", "右边的那个"),
    ],
)
def test_the_one_that_goes_is_told_by_its_place(question: str, answer: str) -> None:
    finding = prove(question, taken)
    assert finding.answer == answer
    assert len(finding.claims) == 2


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which person wears blue, the left or the right one?", "The right one"),
        ("On which side is the person in blue?", "On the right"),
        ("穿蓝色衣服的人在哪一边？", "在右边"),
    ],
)
def test_the_one_described_is_told_by_its_side(question: str, answer: str) -> None:
    assert prove(question, dressed).answer == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which animal is it, a cat or a dog?", "Dog"),
        ("Is it a cat or a dog?", "Dog"),
        ("是猫还是狗？", "狗"),
    ],
)
def test_the_choice_that_is_found_wins(question: str, answer: str) -> None:
    assert prove(question, Told(objects=[thing("dog", 0.4)])).answer == answer


@pytest.mark.parametrize(
    ("question", "scene", "answer"),
    [
        ("Is it indoors or outdoors?", {"location": "outdoor_street"}, "Outdoors"),
        ("这是室内还是室外？", {"location": "indoor_office"}, "室内"),
        ("Is it day or night?", {"time_of_day": "night"}, "Night"),
        ("Is it bright or dark?", {"lighting": "artificial_dim"}, "Dark"),
    ],
)
def test_a_choice_between_attributes_is_read_off_the_scene(
    question: str, scene: dict[str, str], answer: str
) -> None:
    finding = prove(question, Told(scene=scene))
    assert finding.answer == answer
    assert finding.probability > 0.7


def test_choices_that_are_found_alike_are_not_sure() -> None:
    both = Told(objects=[thing("dog", 0.4), thing("cat", 0.7)], scene={"location": "indoor"})
    assert ask("Which animal is it, a cat or a dog?", both).probability < 0.4
