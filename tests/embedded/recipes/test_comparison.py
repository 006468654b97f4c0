"""Events are put in order, two moments are set beside each other, and lengths are measured."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import ask, hits, seen, shots, thing
from vidence.ops.describe_visual import DescribeVisualResult
from vidence.ops.get_video_info import GetVideoInfoResult, Resolution
from vidence.schema.agent import OperationCall

TIMES = {"coffee": 17.0, "boat": 3.0, "tree": 9.0, "咖啡": 17.0, "船": 3.0, "树": 9.0}
BOTTLES = [thing("bottle", x) for x in (0.2, 0.5, 0.8)]


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


def test_an_order_with_something_unfound_is_not_guessed() -> None:
    found = ask("Put in order: coffee, boat, unicorn.", world)
    assert found.cannot_tell
    assert "unicorn" in found.answer


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


def table(call: OperationCall) -> BaseModel | None:
    """Two bottles until 10 s, three from then on; a horse from 4 to 9 s."""
    if call.operation == "describe_visual":
        what = "A cup." if call.arguments["start_time"] < 10 else "A rocket."
        return DescribeVisualResult(description=what, confidence=0.8, num_frames_analyzed=1)
    if call.operation == "get_video_info":
        return GetVideoInfoResult(
            duration=20.0, fps=25, resolution=Resolution(width=64, height=36), has_audio=False,
            num_frames=500, file_size_mb=1,
        )  # fmt: skip
    if call.operation != "detect_objects":
        return shots(0.0)
    at = call.arguments["timestamp"]
    if call.arguments.get("category") == "horse":
        return seen(call, [thing("horse", 0.5)] if 4 <= at <= 9 else [])
    return seen(call, BOTTLES if at >= 10 else BOTTLES[:2])


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Are there more bottles at 8 s or at 14 s?", "At 14.0 s: 3 bottles, against 2 at 8.0 s."),
        ("Are there fewer bottles at 8 s or at 14 s?", "At 8.0 s: 2 bottles, against 3 at 14.0 s."),
        ("Are there more bottles at 11 s or at 14 s?", "The same at both: 3 bottles."),
        ("8 秒和 14 秒相比，哪个时候瓶子更多？", "14.0 秒时：3 个瓶子，而 8.0 秒时是 2。"),
        ("What is the difference between 0:05 and 0:12?", "At 5.0 s: A cup. At 12.0 s: A rocket."),
        ("5 秒和 12 秒的画面有什么不同？", "5.0 秒时：A cup. 12.0 秒时：A rocket."),
    ],
)
def test_two_moments_are_compared(question: str, answer: str) -> None:
    assert ask(question, table).answer == answer


@pytest.mark.parametrize(
    "question", ["How long is the video?", "视频有多长？", "How many seconds is this clip?"]
)
def test_the_length_of_the_video_is_its_own(question: str) -> None:
    assert ask(question, table).answer in ("20.0 s", "20.0 秒")


@pytest.mark.parametrize("question", ["How long is the horse on screen?", "马在画面里出现了多久？"])
def test_the_time_a_thing_is_seen_is_added_up(question: str) -> None:
    answer = ask(question, table).answer
    assert float(answer.removeprefix("About ").removeprefix("约 ").split()[0]) == pytest.approx(5.0, abs=1.1)
