"""What is done, what happens to a thing, and which way it goes."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import ask, hits, prove, seen, shots, thing
from tests.embedded.recipes.told import Told, sound
from vidence.schema.agent import OperationCall


def crossing(call: OperationCall) -> BaseModel | None:
    """A horse crosses the picture to the right between 4 and 12 s."""
    if call.operation == "get_temporal_structure":
        return shots(0.0)
    if call.operation != "detect_objects":
        return hits(call.arguments["query"])
    at = call.arguments["timestamp"]
    return seen(call, [thing("horse", 0.2 + 0.06 * (at - 4))] if 4 <= at <= 12 else [])


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("In which direction does the horse walk?", "To the right"),
        ("Which way does the horse go?", "To the right"),
        ("马往哪边走？", "向右"),
        ("马朝哪个方向走？", "向右"),
    ],
)
def test_the_way_is_told_from_the_places(question: str, answer: str) -> None:
    assert ask(question, crossing).answer.startswith(answer)


def test_what_is_not_seen_goes_nowhere() -> None:
    assert ask(
        "Which way does the cow go?",
        lambda call: seen(call, []) if call.operation == "detect_objects" else hits("cow"),
    ).cannot_tell


def test_something_that_vanishes_with_a_knock_was_probably_hit() -> None:
    world = Told(objects=[thing("bird", 0.5)], until_s=10.2, heard=[sound("impact", 10.5, 10.6)])
    finding = ask("What happens to the bird at about 10 seconds?", world)
    assert "hit" in finding.answer
    assert len(finding.claims) == 2


def test_something_at_the_edge_leaves_the_picture() -> None:
    world = Told(objects=[thing("dog", 0.05)], until_s=10.2)
    assert "left" in ask("What happens to the dog at about 10 seconds?", world).answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the man doing?", "Waving. A man stands in a room."),
        ("人在做什么？", "Waving。A man stands in a room."),
    ],
)
def test_a_recognised_action_comes_before_the_description(question: str, answer: str) -> None:
    finding = prove(question, Told(doing=["waving"], described="A man stands in a room."))
    assert finding.answer == answer
    assert len(finding.claims) == 2


def test_without_an_action_the_picture_is_described_with_less_trust() -> None:
    finding = prove("What is the man doing?", Told(described="A man stands in a room."))
    assert finding.answer == "A man stands in a room."
    assert finding.probability < 0.35


def test_without_any_sight_the_action_cannot_be_told() -> None:
    assert ask("What is the man doing?", Told()).cannot_tell


@pytest.mark.parametrize(
    ("x", "seen_s", "words"),
    [
        (0.05, (0.0, 10.2), "leaves the picture at the left"),
        (0.95, (0.0, 10.2), "leaves the picture at the right"),
        (0.5, (0.0, 10.2), "suddenly gone"),
        (0.5, (10.1, 20.0), "comes into the picture"),
    ],
)
def test_what_happens_is_told_from_where_it_was_last_seen(
    x: float, seen_s: tuple[float, float], words: str
) -> None:
    ball = Told(objects=[thing("sports ball", x)], from_s=seen_s[0], until_s=seen_s[1])
    assert words in prove("What happens to the ball at about 10 seconds?", ball).answer


def test_what_happens_is_told_in_chinese() -> None:
    ball = Told(objects=[thing("sports ball", 0.5)], until_s=10.2, heard=[sound("impact", 10.4, 10.5)])
    finding = prove("10秒时球怎么了？", ball)
    assert finding.answer.startswith("它突然从画面中消失")
    assert "似乎有东西打中了它" in finding.answer


@pytest.mark.parametrize(("rise", "words"), [(0.3, "falls or moves down"), (-0.3, "rises or moves up")])
def test_falling_and_rising_are_told_apart(rise: float, words: str) -> None:
    def moving(call: OperationCall) -> BaseModel | None:
        if call.operation != "detect_objects":
            return None
        share = (call.arguments["timestamp"] - 8.8) / 3
        ball = thing("sports ball", 0.5, height=0.1)
        x, y, width, height = ball.bbox
        moved = ball.model_copy(update={"bbox": (x, y + rise * share, width, height)})
        return seen(call, [moved])

    assert words in prove("What happens to the ball at about 10 seconds?", moving).answer


@pytest.mark.parametrize(
    ("places", "grows", "answer"),
    [
        ((0.8, 0.2), 1.0, "To the left"),
        ((0.5, 0.52), 1.0, "It hardly moves in the picture"),
        ((0.5, 0.5), 2.0, "Towards the camera"),
        ((0.5, 0.5), 0.4, "Away from the camera"),
    ],
)
def test_the_direction_follows_place_and_size(places: tuple[float, float], grows: float, answer: str) -> None:
    def moving(call: OperationCall) -> BaseModel | None:
        if call.operation != "detect_objects":
            return hits(call.arguments.get("query", ""))
        share = call.arguments["timestamp"] / 20
        x = places[0] + (places[1] - places[0]) * share
        return seen(call, [thing("horse", x, height=0.3 * (1 + (grows - 1) * share))])

    assert prove("Which way does the horse go?", moving).answer.startswith(answer)


def test_among_several_the_direction_is_less_sure() -> None:
    def herd(call: OperationCall) -> BaseModel | None:
        if call.operation != "detect_objects":
            return hits(call.arguments.get("query", ""))
        x = 0.1 + 0.03 * call.arguments["timestamp"]
        return seen(call, [thing("horse", x), thing("horse", x + 0.2)])

    assert (
        prove("Which way does the horse go?", herd).probability
        < prove("Which way does the horse go?", crossing).probability
    )
