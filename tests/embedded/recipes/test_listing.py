"""A question for things of a kind, in the plural, gets all of them."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import ask, hits, seen, thing
from vidence.schema.agent import OperationCall


def street(call: OperationCall) -> BaseModel | None:
    """Cars all the time, a bicycle later, and once what looks a little like a bus."""
    if call.operation != "detect_objects":
        return hits(call.arguments["query"])
    at = call.arguments["timestamp"]
    there = [thing("car", 0.2), *([thing("bicycle", 0.6)] if at > 10 else [])]
    doubtful = thing("bus", 0.8).model_copy(update={"confidence": 0.55})
    return seen(_any(call), [*there, *([doubtful] if 4 < at < 6 else [])])


def _any(call: OperationCall) -> OperationCall:
    """Return the call for things of every category; the operation itself knows which belong to a group."""
    kept = {name: value for name, value in call.arguments.items() if name != "category"}
    return call.model_copy(update={"arguments": kept})


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What vehicles can be seen?", "A car and a bicycle."),
        ("Which vehicles are there?", "A car and a bicycle."),
        ("视频里有哪些车辆？", "汽车和自行车。"),
    ],
)
def test_all_that_is_seen_of_a_kind_is_listed(question: str, answer: str) -> None:
    assert ask(question, street).answer == answer


def test_where_none_is_seen_none_is_named() -> None:
    def empty(call: OperationCall) -> BaseModel | None:
        return seen(call, []) if call.operation == "detect_objects" else hits(call.arguments["query"])

    assert ask("What animals can be seen?", empty).answer.startswith("None")
