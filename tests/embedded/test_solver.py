"""The embedded Solver writes the wire format a language model writes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from zlib import crc32

import numpy as np
import pytest

from vidence.embedded.skills import embedded_skills
from vidence.embedded.solver import solve
from vidence.llm.structured import parse_reply
from vidence.schema.agent import (
    AnswerPayload,
    CallPayload,
    MemoryUnit,
    OperationCall,
    ReadPayload,
    RetrievePayload,
    SolverResponse,
    SolverVariables,
    VideoCard,
)

VIDEO = VideoCard(video_id="vid_1", name="a.mp4", duration_s=30.0)


def embed(texts: Sequence[str]) -> object:
    """Return a unit vector per text from the words it holds."""
    counts = np.zeros((len(texts), 4096), np.float32)
    for row, text in enumerate(texts):
        for word in re.findall(r"\w+", text.lower()):
            counts[row, crc32(word.encode()) % 4096] += 1
    return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-6)


def step(**known: object) -> SolverResponse:
    """Return the Solver's next action."""
    variables = SolverVariables.model_validate({"language": "en", **known})
    return parse_reply(solve(variables, embed), SolverResponse).value


def test_a_question_about_a_video_begins_with_operations() -> None:
    response = step(question="How many dogs are there?", videos=(VIDEO,), may_call_operations=True)
    assert isinstance(response.action_payload, CallPayload)
    assert {call.operation for call in response.action_payload.calls} == {
        "detect_objects",
        "get_notes",
        "describe_visual",
    }
    assert all(call.arguments["video_id"] == "vid_1" for call in response.action_payload.calls)


def test_calls_that_failed_are_not_asked_again() -> None:
    first = step(question="How many dogs are there?", videos=(VIDEO,), may_call_operations=True)
    assert isinstance(first.action_payload, CallPayload)
    failed: list[tuple[OperationCall, str]] = [(call, "broken") for call in first.action_payload.calls]
    response = step(
        question="How many dogs are there?",
        videos=(VIDEO,),
        may_call_operations=True,
        failed_calls=tuple(failed),
    )
    assert isinstance(response.action_payload, AnswerPayload)
    assert response.action_payload.cannot_tell


def test_captions_alone_are_fetched_then_quoted() -> None:
    frames = tuple(
        MemoryUnit(frame_id=number, caption=text)
        for number, text in enumerate(["a red car", "a zebra in a zoo", "an empty road"])
    )
    asking = step(question="Who feeds the zebra?", memory=frames, num_frames_unseen=4)
    assert isinstance(asking.action_payload, RetrievePayload)
    assert asking.action_payload.count == 4
    told = step(question="Where is the zebra?", memory=frames, num_frames_unseen=0)
    assert isinstance(told.action_payload, AnswerPayload)
    assert told.action_payload.final_answer == "a zebra in a zoo"
    assert told.action_payload.claims[0].citations[0].record_id == "frame_1"


def test_the_loop_finds_a_skill_for_both_its_tasks() -> None:
    assert {"solver.step", "checker.evaluate"} <= set(embedded_skills(embed))


@pytest.mark.parametrize(
    ("question", "language", "words"),
    [
        ("How many dogs are there?", "en", "detect_objects ×"),
        ("What is said?", "en", ": get_transcript, get_notes."),
        ("说了什么？", "zh", "：get_transcript, get_notes。"),
    ],
)
def test_the_next_calls_are_named_in_the_thoughts(question: str, language: str, words: str) -> None:
    response = step(question=question, language=language, videos=(VIDEO,), may_call_operations=True)
    assert words in response.thought_summary


@pytest.mark.parametrize(
    ("limits", "count"),
    [({}, 5), ({"frames_left": 0}, None), ({"steps_left": 2}, None), ({"num_frames_unseen": 2}, 2)],
)
def test_more_frames_are_asked_for_while_the_budget_allows(limits: dict[str, int], count: int | None) -> None:
    frames = (MemoryUnit(frame_id=0, caption="a red car"),)
    known = {"num_frames_unseen": 9, "steps_left": 8, **limits}
    payload = step(question="Where is the zebra?", memory=frames, **known).action_payload
    assert (payload.count if isinstance(payload, RetrievePayload) else None) == count


def test_without_captions_there_is_nothing_to_answer_from() -> None:
    payload = step(question="Where is the zebra?", num_frames_unseen=0).action_payload
    assert isinstance(payload, AnswerPayload)
    assert payload.cannot_tell
    chinese = step(num_frames_unseen=0, question="斑马在哪里？", language="zh").action_payload
    assert isinstance(chinese, AnswerPayload)
    assert chinese.final_answer.startswith("无法判断")


def test_every_task_of_the_loops_has_a_skill() -> None:
    assert set(embedded_skills(embed)) >= {
        "solver.step",
        "checker.evaluate",
        "planner.analyze",
        "executor.command",
        "planner.final_output",
        "content.analyze",
        "vln.next_action",
        "tom.beliefs",
        "reader.answer",
        "reader.summarise",
        "monitor.plan",
        "monitor.extract_keywords",
        "monitor.critical_review",
        "monitor.synthesis",
    }


def test_with_options_about_a_video_the_reader_is_asked_to_choose() -> None:
    known = {"question": "How many dogs are there?", "videos": (VIDEO,), "may_call_operations": True}
    calls = step(**known).action_payload
    assert isinstance(calls, CallPayload)
    known |= {
        "options": ("one", "two", "three"),
        "failed_calls": tuple((call, "broken") for call in calls.calls),
        "memory": (MemoryUnit(frame_id=0, caption="a meadow", timestamp_s=1.0, video_id="vid_1"),),
        "may_read": True,
    }
    asked = step(**known).action_payload
    assert isinstance(asked, ReadPayload)
    assert asked.reading.options == ("one", "two", "three")
    told = [step(**known, choice=choice).action_payload for choice in ((0.1, 0.1, 0.8), (0.1, 0.8, 0.1))]
    assert [one.option for one in told if isinstance(one, AnswerPayload)] == [2, 1]


def test_statements_are_left_to_the_captions() -> None:
    told = (
        "The person cooks eggs in a pan, then washes the bowl.",
        "The person repairs a bicycle and pumps its tyres.",
    )
    frames = (MemoryUnit(frame_id=0, caption="a person cooks eggs in a pan"),)
    payload = step(question="What happens?", options=told, memory=frames, may_read=True).action_payload
    assert isinstance(payload, AnswerPayload)
    assert payload.option == 0
