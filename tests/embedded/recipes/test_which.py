"""Which one is meant: by what happens to it, by what it wears, by where it is."""

from __future__ import annotations

from pydantic import BaseModel

from tests.embedded.recipes.seen import ask, hits, seen, thing
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
