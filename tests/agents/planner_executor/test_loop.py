"""Planning and executing to a verified output, within budgets."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.agents.planner_executor.test_planner import embedded
from vidence.agents.planner_executor.initializer import Initializer
from vidence.agents.planner_executor.loop import PlannerExecutor, planner_engines, planner_input, run_planned
from vidence.agents.planner_executor.planner import Planner
from vidence.app.runs import replay_trace
from vidence.errors import BackendError, OpFailed
from vidence.llm.scripted import ScriptedEngine
from vidence.memory import MemoryManager
from vidence.runs.trace import TraceFolder
from vidence.runs.traced import run_traced
from vidence.runs.worlds.captions import GivenWorld
from vidence.schema.agent import AgentAnswer, Budget, OperationCall, VideoCard
from vidence.schema.events import StepEvent
from vidence.schema.evidence import EvidenceRecord, hash_of
from vidence.schema.message import EncodedPicture

VIDEO = VideoCard(video_id="vid_1", name="street.mp4", duration_s=12.0)
TOOLS = Initializer().tools


class CallWorld(GivenWorld):
    """A world without frames whose operations a function answers."""

    def __init__(self, answer: Callable[[OperationCall], EvidenceRecord], *videos: VideoCard) -> None:
        super().__init__(())
        self._answer, self._videos = answer, videos

    @property
    def videos(self) -> tuple[VideoCard, ...]:
        return self._videos

    def call(self, call: OperationCall) -> EvidenceRecord:
        return self._answer(call)


def look(call: OperationCall) -> EvidenceRecord:
    """A video in which three people stand."""
    if call.operation == "get_transcript":
        raise OpFailed("There is no sound in this video.")
    result: Any = {"objects": [{"label": "person"}, {"label": "person"}, {"label": "person"}]}
    return EvidenceRecord(
        record_id="rec_people",
        kind="operation",
        source=call.operation,
        video_id="vid_1",
        asked=call.arguments,
        arguments=call.arguments,
        result=result,
        result_hash=hash_of(result),
    )


def step(tool: str, **more: str) -> str:
    return json.dumps({"context": "vid_1", "sub_goal": "look", "tool_name": tool, **more})


def output(answer: str, record: str = "rec_people", **more: Any) -> str:
    claim = {"text": answer, "citations": [{"record_id": record}]}
    return json.dumps({"answer": answer, "claims": [claim], **more})


def verdict(score: int) -> str:
    return json.dumps({"confidence_score": score, "feedback": "fine"})


def command(**arguments: Any) -> str:
    return json.dumps({"calls": [arguments]})


def run(
    lines: Sequence[str | BaseException], *, budget: Budget | None = None, **more: Any
) -> tuple[AgentAnswer, list[StepEvent], ScriptedEngine]:
    engine = ScriptedEngine(lines)
    events: list[StepEvent] = []
    answer = run_planned(
        "How many people are there?",
        Planner(engine, tools=TOOLS, videos=[VIDEO]),
        CallWorld(look, VIDEO),
        budget=budget,
        listener=events.append,
        **more,
    )
    return answer, events, engine


def test_a_query_goes_through_tool_and_execution_to_a_verified_output() -> None:
    answer, events, _ = run(
        [step("get_video_info"), command(), step("final_output"), output("3 people"), verdict(5)]
    )
    assert (answer.status, answer.answer, answer.passed) == ("answered", "3 people", True)
    assert [record.record_id for record in answer.evidence] == ["rec_people"]
    assert answer.claims[0].verdict == "verified"
    kinds = [event.kind for event in events]
    assert kinds[0] == "started"
    assert kinds[-1] == "finished"
    assert "operation" in kinds
    assert "result" in kinds
    assert answer.spent.llm_calls == 5


def test_a_number_that_the_evidence_does_not_hold_does_not_pass() -> None:
    answer, _, _ = run(
        [step("get_video_info"), command(), step("final_output"), output("7 people"), verdict(5)]
    )
    assert not answer.passed
    assert answer.gaps


def test_a_citation_of_something_never_shown_is_removed() -> None:
    answer, _, _ = run([step("final_output"), output("3 people", "rec_other"), verdict(5)])
    assert answer.evidence == ()
    assert not answer.passed


def test_a_failed_call_is_told_to_the_planner() -> None:
    answer, _, engine = run(
        [step("get_transcript"), command(), step("final_output"), output("", cannot_tell=True), verdict(4)]
    )
    assert "There is no sound" in engine.prompts[2].text
    assert answer.status == "cannot_tell"


def test_an_unknown_tool_costs_a_step_and_no_more() -> None:
    answer, events, _ = run(
        [
            step("look_closely"),
            step("get_video_info"),
            command(),
            step("final_output"),
            output("3 people"),
            verdict(5),
        ]
    )
    assert answer.passed
    assert any(event.kind == "failed" for event in events)


def test_at_the_limit_of_steps_an_output_is_still_given() -> None:
    answer, _, _ = run(
        [step("get_video_info"), command(), output("3 people"), verdict(5)], budget=Budget(steps=1)
    )
    assert answer.answer == "3 people"
    assert any("1 steps" in gap for gap in answer.gaps)


def test_an_engine_that_fails_leaves_a_gap_and_no_exception() -> None:
    answer, _, _ = run([BackendError("the server is down"), BackendError("still down")])
    assert answer.status == "failed"
    assert any("down" in gap for gap in answer.gaps)


def test_the_embedded_planner_answers_from_memory_with_a_citation(tmp_path: Path) -> None:
    manager = MemoryManager(storage_dir=tmp_path)
    manager.long_memory.add_memory("我的狗叫雷克斯。", metadata={"speaker": "user"})
    engine = embedded()
    answer = run_planned(
        "我的狗叫什么？",
        Planner(engine, memory_manager=manager, tools=TOOLS),
        CallWorld(look),
    )
    assert "雷克斯" in answer.answer
    assert [(one.record_id, one.kind) for one in answer.evidence] == [("mem_001", "memory")]
    assert answer.spent.llm_calls == 0


@pytest.mark.parametrize("question", ["How many people are there?", "视频里有几个人？"])
def test_the_embedded_planner_looks_before_it_answers(question: str) -> None:
    called: list[str] = []

    def note(call: OperationCall) -> EvidenceRecord:
        called.append(call.operation)
        raise OpFailed("The video cannot be read.")

    engine = embedded()
    answer = run_planned(
        question,
        Planner(engine, tools=TOOLS, videos=[VIDEO]),
        CallWorld(note, VIDEO),
        budget=Budget(steps=6),
    )
    assert called
    assert answer.status in ("cannot_tell", "failed")


WAYS: dict[str, list[str | BaseException]] = {
    "passes": [step("get_video_info"), command(), step("final_output"), output("3 people"), verdict(5)],
    "is rejected": [step("get_video_info"), command(), step("none"), output("7 people"), verdict(5)],
    "stumbles": [
        "no json",
        step("look_closely"),
        step("get_transcript"),
        command(),
        step("final_output"),
        "no json",
        output("3 people"),
        verdict(4),
    ],
    "breaks down": [step("get_video_info"), BackendError("gone"), output("I cannot tell"), "no", "no"],
    "never words it": [step("final_output"), "no", "no"],
}


def traced(folder: Path, engine: ScriptedEngine, **more: Any) -> AgentAnswer:
    planner = Planner(engine, tools=TOOLS, videos=[VIDEO])
    given = planner_input(planner, "How many people are there?", **more)
    world, engines = CallWorld(look, VIDEO), planner_engines(planner)
    return run_traced(PlannerExecutor, given, world, engines, folder=TraceFolder(folder))


@pytest.mark.parametrize("way", WAYS)
def test_a_planned_run_is_repeated_to_the_byte_without_a_model(tmp_path: Path, way: str) -> None:
    picture = EncodedPicture(data=b"\xff\xd8 jpeg")
    result = traced(tmp_path, ScriptedEngine(WAYS[way]), image=picture)
    trace = TraceFolder(tmp_path).find("last").load()
    again = replay_trace(trace)
    assert again.is_identical, again.difference
    assert again.trace.model_dump_json() == trace.model_dump_json()
    assert (trace.loop, trace.answer) == ("planner_executor", result.model_copy(update={"trace_id": None}))


def test_the_call_budget_leaves_room_for_the_output_and_its_check(tmp_path: Path) -> None:
    lines = [step("get_video_info"), command(), output("3 people"), verdict(5)]
    answer, _, engine = run(lines, budget=Budget(llm_calls=4))
    assert (answer.answer, answer.passed, answer.spent.llm_calls) == ("3 people", True, 4)
    assert [prompt.task for prompt in engine.prompts][-2:] == ["planner.final_output", "checker.evaluate"]


def test_a_cancelled_plan_stops_with_a_gap() -> None:
    answer, _, engine = run([step("get_video_info")] * 3, cancel=lambda: True)
    assert (answer.status, engine.prompts) == ("failed", [])
    assert answer.gaps == ("The run was stopped.",)
