"""Commands: arguments that validate, errors that become observations."""

from __future__ import annotations

import json

import pytest

from vidence.agents.planner_executor.executor import Executor
from vidence.agents.planner_executor.initializer import Initializer
from vidence.errors import OpFailed, OpRetry, UnknownName
from vidence.llm.scripted import ScriptedEngine
from vidence.schema.agent import OperationCall, VideoCard
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.planning import PlanVariables

TOOLS = Initializer().tools
PLAN = PlanVariables(
    question="How many people?",
    language="en",
    tools=TOOLS,
    videos=(VideoCard(video_id="vid_1", name="a.mp4", duration_s=9.0),),
)


def run(call: OperationCall) -> EvidenceRecord:
    if call.operation == "get_transcript":
        raise OpFailed("There is no sound in this video.")
    return EvidenceRecord(record_id="rec_1", kind="operation", source=call.operation, result={})


def command(*calls: dict[str, object]) -> str:
    return json.dumps({"explanation": "", "calls": list(calls)})


def test_the_only_video_is_filled_in() -> None:
    executor = Executor(ScriptedEngine([command({"query": "a dog"})]), run, tools=TOOLS)
    (call,) = executor.generate_tool_command(PLAN, "", "find the dog", "temporal_search")
    assert call.arguments == {"video_id": "vid_1", "query": "a dog"}


def test_wrong_arguments_are_sent_back_with_what_is_wrong() -> None:
    engine = ScriptedEngine([command({"qury": "a dog"}), command({"query": "a dog"})])
    executor = Executor(engine, run, tools=TOOLS)
    (call,) = executor.generate_tool_command(PLAN, "", "find the dog", "temporal_search")
    assert call.arguments["query"] == "a dog"
    assert "did you mean 'query'" in engine.prompts[1].text


def test_arguments_that_stay_wrong_are_refused() -> None:
    engine = ScriptedEngine([command({"qury": "a"}), command({"qury": "b"})])
    with pytest.raises(OpRetry, match="qury"):
        Executor(engine, run, tools=TOOLS).generate_tool_command(PLAN, "", "g", "temporal_search")


def test_an_unknown_tool_names_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="detect_objects"):
        Executor(ScriptedEngine([]), run, tools=TOOLS).tool("detect_object")


def test_names_are_understood_however_they_are_written() -> None:
    executor = Executor(ScriptedEngine([]), run, tools=TOOLS)
    assert executor.tool("`Detect-Objects()`").name == "detect_objects"


def test_a_failed_call_is_an_observation() -> None:
    executor = Executor(ScriptedEngine([]), run, tools=TOOLS)
    calls = [OperationCall(operation=name, arguments={}) for name in ("get_transcript", "get_video_info")]
    failed, answered = executor.execute_tool_command(calls)
    assert failed.record is None
    assert "no sound" in failed.problem
    assert answered.record is not None
