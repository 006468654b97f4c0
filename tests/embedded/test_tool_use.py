"""The embedded engine calls tools for what it plans, and finds their steps as calls of its own."""

from __future__ import annotations

from typing import Any

from vidence.embedded.tool_use import using_tools
from vidence.embedded.wire import call_reply
from vidence.llm.structured import parse_reply
from vidence.prompts import Prompt
from vidence.schema.agent import CallPayload, OperationCall, SolverResponse, SolverVariables
from vidence.schema.evidence import EvidenceRecord
from vidence.tools.induction import Episode, PastCall, find_tools

TIMES = (1.0, 2.5, 4.0)


def planned(query: str, *times: float) -> list[OperationCall]:
    return [
        OperationCall(
            operation="detect_objects", arguments={"video_id": "vid_1", "timestamp": t, "query": query}
        )
        for t in times
    ]


def tool() -> dict[str, Any]:
    episodes = [
        Episode(
            f"q {query}",
            query,
            (tuple(PastCall(c.operation, c.arguments) for c in planned(query, 3.0, 5.0)),),
        )
        for query in ("dog", "cat", "cup")
    ]
    return dict(find_tools(episodes)[0].tool.source)


def prompt(**changes: Any) -> Prompt:
    base: dict[str, Any] = {"question": "Is there a bird?", "language": "en", "tools": (tool(),)}
    return Prompt("solver.step", (), SolverVariables(**{**base, **changes}))


def calls_in(reply: str) -> list[OperationCall]:
    payload = parse_reply(reply, SolverResponse).value.action_payload
    assert isinstance(payload, CallPayload)
    return list(payload.calls)


def test_planned_calls_become_one_call_of_a_tool() -> None:
    step = using_tools(lambda prompt: call_reply("look", planned("bird", *TIMES)))
    (call,) = calls_in(step(prompt()))
    assert call.operation == tool()["tool_name"]
    assert call.arguments == {"video_id": "vid_1", "query": "bird", "timestamps": list(TIMES)}


def test_without_tools_nothing_changes() -> None:
    step = using_tools(lambda prompt: call_reply("look", planned("bird", *TIMES)))
    assert calls_in(step(prompt(tools=()))) == planned("bird", *TIMES)


def test_the_steps_of_a_tool_answer_the_calls_that_were_planned() -> None:
    parts = tuple(
        EvidenceRecord(
            record_id=f"rec_{number}",
            kind="operation",
            source="detect_objects",
            video_id="vid_1",
            asked={"video_id": "vid_1", "timestamp": time, "query": "bird", "confidence_threshold": 0.3},
            arguments={"video_id": "vid_1", "timestamp": time, "query": "bird", "confidence_threshold": 0.3},
        )
        for number, time in enumerate(TIMES)
    )
    record = EvidenceRecord(
        record_id="rec_tool",
        kind="operation",
        source=tool()["tool_name"],
        video_id="vid_1",
        asked={"video_id": "vid_1", "query": "bird", "timestamps": list(TIMES)},
        parts=parts,
    )
    seen: list[dict[str, Any]] = []

    def skill(prompt: Prompt) -> str:
        assert isinstance(prompt.variables, SolverVariables)
        seen.extend(one.asked for one in prompt.variables.records if one.source == "detect_objects")
        return call_reply("more", planned("bird", 9.0))

    reply = using_tools(skill)(prompt(records=(record, *parts)))
    assert seen == [call.arguments for call in planned("bird", *TIMES)]
    assert calls_in(reply) == planned("bird", 9.0)
