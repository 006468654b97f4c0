"""Which way a thing goes is told from where it is seen."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import ask, hits, seen, shots, thing
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
