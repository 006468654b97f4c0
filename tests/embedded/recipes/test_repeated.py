"""How many times something happens, is heard or is said."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import ask, hits, prove, seen, thing
from tests.embedded.recipes.told import Told, line, sound
from vidence.schema.agent import OperationCall

SAID = Told(said=[line(1, 2, "The cat sat."), line(3, 5, "The cat and the other cat ran.")])
BARKS = Told(
    heard=[sound("dog_bark", 2, 3), sound("dog_bark", 6, 7), sound("music", 0, 9)],
    found=[(2, 3, 0.8), (6, 7, 0.8)],
)


def visits(call: OperationCall) -> BaseModel | None:
    """A dog is there from 3 to 6 s and from 12 to 16 s."""
    if call.operation != "detect_objects":
        return hits(call.arguments.get("query", ""))
    at = call.arguments["timestamp"]
    return seen(call, [thing("dog", 0.5)] if 3 <= at < 6 or 12 <= at < 16 else [])


@pytest.mark.parametrize(
    ("question", "answer"),
    [('How many times is "cat" said?', "3 times"), ("“cat”说了几次？", "3 次")],
)
def test_words_are_counted_in_the_transcript(question: str, answer: str) -> None:
    finding = prove(question, SAID)
    assert finding.answer == answer
    assert finding.claims[0].citations[0].quote == "The cat sat."


@pytest.mark.parametrize(
    ("question", "answer"),
    [("How many times is a bark heard?", "2 times"), ("听到几次狗叫？", "2 次")],
)
def test_sounds_are_counted_where_they_are_apart(question: str, answer: str) -> None:
    assert prove(question, BARKS).answer == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many times does the dog appear?", "2 times"),
        ("How many times does the dog disappear?", "2 times"),
        ("狗出现了几次？", "2 次"),
    ],
)
def test_coming_and_going_is_counted_from_detections(question: str, answer: str) -> None:
    assert prove(question, visits).answer == answer


def test_a_thing_that_is_there_from_the_start_has_appeared_once() -> None:
    def there(call: OperationCall) -> BaseModel | None:
        return seen(call, [thing("dog", 0.5)]) if call.operation == "detect_objects" else hits("dog")

    assert ask("视频里狗出现了几次？", there).answer == "1 次"


@pytest.mark.parametrize(
    ("question", "answer"), [("How many times does the boy jump?", "2 times"), ("男孩跳了几次？", "2 次")]
)
def test_events_are_counted_from_search_hits(question: str, answer: str) -> None:
    finding = prove(question, Told(found=[(1, 2, 0.6), (2.3, 3, 0.5), (8, 9, 0.5)]))
    assert finding.answer == answer
    assert finding.probability < 0.5


def test_only_the_part_that_is_asked_about_counts() -> None:
    world = Told(found=[(1, 2, 0.6), (8, 9, 0.5), (15, 16, 0.6)])
    assert prove("How many times does the boy jump after 7 seconds?", world).answer == "2 times"
