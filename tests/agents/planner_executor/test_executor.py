"""Commands: arguments that validate, errors that become observations."""

from __future__ import annotations

import json

import pytest

from vidence.agents.planner_executor.executor import Executor
from vidence.agents.planner_executor.initializer import Initializer
from vidence.errors import OpRetry, UnknownName
from vidence.llm.ask import ask_for
from vidence.llm.scripted import ScriptedEngine
from vidence.schema.agent import VideoCard
from vidence.schema.planning import PlanVariables

TOOLS = Initializer().tools
PLAN = PlanVariables(
    question="How many people?",
    language="en",
    tools=TOOLS,
    videos=(VideoCard(video_id="vid_1", name="a.mp4", duration_s=9.0),),
)


def executor(*lines: str) -> tuple[Executor, ScriptedEngine]:
    engine = ScriptedEngine(lines)
    return Executor(lambda prompt, response: ask_for(engine, prompt, response).value, tools=TOOLS), engine


def command(*calls: dict[str, object]) -> str:
    return json.dumps({"explanation": "", "calls": list(calls)})


def test_the_only_video_is_filled_in() -> None:
    writer, _ = executor(command({"query": "a dog"}))
    (call,) = writer.generate_tool_command(PLAN, "", "find the dog", "temporal_search")
    assert call.arguments == {"video_id": "vid_1", "query": "a dog"}


def test_wrong_arguments_are_sent_back_with_what_is_wrong() -> None:
    writer, engine = executor(command({"qury": "a dog"}), command({"query": "a dog"}))
    (call,) = writer.generate_tool_command(PLAN, "", "find the dog", "temporal_search")
    assert call.arguments["query"] == "a dog"
    assert "did you mean 'query'" in engine.prompts[1].text


def test_arguments_that_stay_wrong_are_refused() -> None:
    writer, _ = executor(command({"qury": "a"}), command({"qury": "b"}))
    with pytest.raises(OpRetry, match="qury"):
        writer.generate_tool_command(PLAN, "", "g", "temporal_search")


def test_an_unknown_tool_names_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="detect_objects"):
        executor()[0].tool("detect_object")


def test_names_are_understood_however_they_are_written() -> None:
    assert executor()[0].tool("`Detect-Objects()`").name == "detect_objects"
