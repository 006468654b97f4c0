"""Which way a thing goes."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import ask, hits, prove, seen, shots, thing
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
