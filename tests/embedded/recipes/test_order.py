"""Before or after, first or last, and whole orders."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import ask, hits, shots
from vidence.schema.agent import OperationCall

TIMES = {"coffee": 17.0, "boat": 3.0, "tree": 9.0, "咖啡": 17.0, "船": 3.0, "树": 9.0}


def world(call: OperationCall) -> BaseModel | None:
    """Boat, then tree, then coffee, each found by its name."""
    if call.operation == "get_temporal_structure":
        return shots(0.0)
    if call.operation != "temporal_search":
        return None
    query = call.arguments["query"]
    return hits(query, *((at, at + 1, 0.8) for name, at in TIMES.items() if name in query))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is the tree shown before or after the coffee?", "Before"),
        ("Is the coffee shown before or after the boat?", "After"),
        ("Is the boat shown before the tree?", "Yes"),
        ("Is the boat shown after the tree?", "No"),
        ("Which comes first: the coffee or the tree?", "Tree"),
        ("What appears last, the boat or the tree?", "Tree"),
        ("Put in order: coffee, boat, tree.", "boat, tree, coffee"),
        ("咖啡出现在船之前还是之后？", "之后"),
        ("按先后顺序排列：咖啡、船、树。", "船、树、咖啡"),
    ],
)
def test_events_are_ordered_by_when_they_were_found(question: str, answer: str) -> None:
    assert ask(question, world).answer == answer


def test_an_order_with_something_unfound_is_not_confident() -> None:
    found = ask("Put in order: coffee, boat, unicorn.", world)
    assert found.answer.startswith("boat, coffee")
    assert found.probability < 0.5


def test_the_further_apart_the_surer() -> None:
    def side_by_side(call: OperationCall) -> BaseModel | None:
        if call.operation != "temporal_search":
            return world(call)
        start = 3.0 if "boat" in call.arguments["query"] else 3.2
        return hits(call.arguments["query"], (start, start + 1, 0.8))

    near = ask("Is the boat shown before or after the ship?", side_by_side).probability
    assert near < ask("Is the boat shown before or after the coffee?", world).probability


def test_what_is_shown_twice_comes_where_it_comes_first() -> None:
    def twice(call: OperationCall) -> BaseModel | None:
        if call.operation == "temporal_search" and "boat" in call.arguments["query"]:
            return hits(call.arguments["query"], (18.0, 19.0, 0.9), (3.0, 4.0, 0.8))
        return world(call)

    assert ask("Is the boat shown before or after the tree?", twice).answer == "Before"
