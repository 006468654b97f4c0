"""When something comes, goes, is away or takes a posture, from the objects seen over time."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import VIDEO, ask, hits, prove, seen, shots, thing
from vidence.embedded.recipes.happening import place_of
from vidence.schema.agent import OperationCall

BOTTLES = [thing("bottle", x) for x in (0.2, 0.5, 0.8)]


def _seconds(answer: str) -> float:
    return float(answer.split()[0])


def _nothing(call: OperationCall) -> BaseModel:
    return shots(0.0) if call.operation == "get_temporal_structure" else hits(call.arguments.get("query", ""))


def visits(call: OperationCall) -> BaseModel | None:
    """A dog is there from 3 to 6 s and from 12 to 16 s."""
    if call.operation != "detect_objects":
        return _nothing(call)
    at = call.arguments["timestamp"]
    return seen(call, [thing("dog", 0.5)] if 3 <= at < 6 or 12 <= at < 16 else [])


def emptied(call: OperationCall) -> BaseModel | None:
    """Three bottles; the right one goes at 8 s, the left one at 14 s."""
    if call.operation != "detect_objects":
        return _nothing(call)
    at = call.arguments["timestamp"]
    return seen(call, BOTTLES if at < 8 else BOTTLES[:2] if at < 14 else BOTTLES[1:2])


def rising(call: OperationCall) -> BaseModel | None:
    """Somebody sits, stands from 8 to 14 s, and sits again."""
    if call.operation != "detect_objects":
        return _nothing(call)
    stands = 8 <= call.arguments["timestamp"] <= 14
    return seen(call, [thing("person", 0.3, height=0.7 if stands else 0.4)])


@pytest.mark.parametrize(
    ("question", "time_s"),
    [
        ("When does the dog appear?", 3.0),
        ("When does the dog appear for the second time?", 12.0),
        ("When does the dog last appear?", 12.0),
        ("When does the dog disappear?", 6.0),
        ("狗什么时候出现？", 3.0),
        ("狗什么时候消失？", 6.0),
    ],
)
def test_coming_and_going_is_timed_by_order(question: str, time_s: float) -> None:
    finding = prove(question, visits)
    assert _seconds(finding.answer) == pytest.approx(time_s, abs=0.2)
    assert len(finding.claims) == 2


def test_a_visit_that_never_comes_is_not_timed() -> None:
    assert ask("When does the dog appear for the fifth time?", visits).cannot_tell


def test_a_thing_that_is_there_from_the_start_appears_at_once() -> None:
    def there(call: OperationCall) -> BaseModel | None:
        return seen(call, [thing("dog", 0.5)]) if call.operation == "detect_objects" else _nothing(call)

    finding = prove("When does the dog appear?", there)
    assert _seconds(finding.answer) == 0.0
    assert finding.probability < 0.5


@pytest.mark.parametrize(
    ("question", "time_s"),
    [("When is the right bottle removed?", 8.0), ("When is the left bottle removed?", 14.0)],
)
def test_the_place_says_which_one_goes(question: str, time_s: float) -> None:
    assert _seconds(prove(question, emptied).answer) == pytest.approx(time_s, abs=0.2)


def test_an_absence_is_found_inside_its_longest_run() -> None:
    assert 6 <= _seconds(prove("When is the dog not visible?", visits).answer) < 12


@pytest.mark.parametrize("question", ["When does the person stand up?", "那个人什么时候站起来？"])
def test_standing_up_is_the_start_of_standing(question: str) -> None:
    assert _seconds(prove(question, rising).answer) == pytest.approx(8.5, abs=0.6)


def test_standing_is_in_the_middle_of_it() -> None:
    assert 9 < _seconds(prove("When is the man standing?", rising).answer) < 13


def test_in_a_long_video_only_the_part_that_a_search_finds_is_watched() -> None:
    looked: list[float] = []

    def long(call: OperationCall) -> BaseModel | None:
        if call.operation == "temporal_search":
            return hits(call.arguments["query"], (200.0, 220.0, 0.9))
        if call.operation != "detect_objects":
            return shots(0.0, duration_s=600.0)
        looked.append(call.arguments["timestamp"])
        return seen(call, [thing("dog", 0.5)] if looked[-1] >= 210 else [])

    finding = prove("When does the dog appear?", long, video=VIDEO.model_copy(update={"duration_s": 600.0}))
    assert _seconds(finding.answer) == pytest.approx(210, abs=0.5)
    assert min(looked) >= 196
    assert max(looked) <= 224


@pytest.mark.parametrize(
    ("index", "places", "name"), [(0, 3, "left"), (1, 3, "middle"), (2, 3, "right"), (1, 2, "right")]
)
def test_places_are_named_from_left_to_right(index: int, places: int, name: str) -> None:
    assert place_of(index, places) == name
