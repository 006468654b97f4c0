from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.scripts import action, answer, by_task, trace_ask, verdict
from vidence.app.runs import replay_trace
from vidence.errors import BackendError, ErrorType, FileProblem, ServiceError
from vidence.llm.scripted import Line, ScriptedEngine
from vidence.prompts import Prompt
from vidence.runs.trace import TraceFolder
from vidence.runs.traced import StoppableEngine, Stopped
from vidence.runs.worlds.captions import CaptionWorld
from vidence.schema.agent import Budget, MemoryUnit, RunInput
from vidence.schema.events import RunFinished, Spending, StepEvent, Thinking
from vidence.schema.message import Message
from vidence.schema.trace import Trace

WAYS: dict[str, list[Line]] = {
    "passes": [action("retrieve_more_frames", count=3, focus="people"), answer("Three people", 3)],
    "stumbles": [
        "no", action("call_operations", calls=[{"operation": "x"}]), answer("Two", 99), answer("A dog", 4)
    ],
    "never ends": [action("retrieve_more_frames", count=1)],
    "breaks down": [answer("A cat", 4), BackendError("no route to host")],
    "is refused": [
        answer("A cat", 4), ServiceError("gpt says no", ErrorType.AUTHENTICATION, service="openai:gpt")
    ],
}  # fmt: skip

PROMPT = Prompt("t", (Message(role="user", text="?"),), RunInput(question="?", language="en"))


def last(folder: Path) -> Trace:
    return TraceFolder(folder).find("last").load()


@pytest.mark.parametrize("way", WAYS)
def test_a_run_is_repeated_to_the_byte_without_a_model(tmp_path: Path, world: CaptionWorld, way: str) -> None:
    result = trace_ask(tmp_path, world, by_task(list(WAYS[way]), [verdict(2, "No"), verdict(4)]))
    trace = last(tmp_path)
    again = replay_trace(trace)
    assert again.is_identical, again.difference
    assert again.trace.model_dump_json() == trace.model_dump_json()
    assert trace.answer == result.model_copy(update={"trace_id": None})


def test_a_run_that_ran_out_of_time_runs_out_of_it_again(tmp_path: Path, world: CaptionWorld) -> None:
    ticks = iter(range(1000))
    engine = by_task([action("retrieve_more_frames", count=1)], verdict(5))
    result = trace_ask(tmp_path, world, engine, budget=Budget(seconds=5), clock=lambda: float(next(ticks)))
    assert "5 seconds" in result.gaps[0]
    assert replay_trace(last(tmp_path)).is_identical


def test_an_interrupted_run_leaves_a_trace_that_replays_to_the_same_place(
    tmp_path: Path, world: CaptionWorld
) -> None:
    engine = by_task([action("retrieve_more_frames", count=1), KeyboardInterrupt()], verdict(5))
    with pytest.raises(KeyboardInterrupt):
        trace_ask(tmp_path, world, engine)
    trace = last(tmp_path)
    assert (trace.ended, trace.answer) == ("interrupted", None)
    assert [step.kind for step in trace.steps] == ["frames", "model", "frames"]
    assert replay_trace(trace).is_identical


def test_a_run_that_our_own_fault_ends_leaves_a_trace(tmp_path: Path, world: CaptionWorld) -> None:
    def faulty(count: int) -> list[MemoryUnit]:
        raise RuntimeError("a fault of ours")

    world.first_frames = faulty  # type: ignore[method-assign]
    with pytest.raises(RuntimeError):
        trace_ask(tmp_path, world, by_task([], verdict(5)))
    assert (last(tmp_path).ended, last(tmp_path).error) == ("failed", "RuntimeError: a fault of ours")


def _tamper(path: Path, change: Any) -> Trace:
    held = json.loads(path.read_text("utf-8"))
    change(held)
    path.write_text(json.dumps(held), encoding="utf-8")
    return Trace.model_validate(held)


def _other_reply(held: dict[str, Any]) -> None:
    name = next(step["reply"] for step in reversed(held["steps"]) if step.get("task") == "solver.step")
    held["texts"][name] = held["texts"][name].replace("Three", "Four")


def _other_answer(held: dict[str, Any]) -> None:
    held["answer"]["answer"] = "Four people"


def _other_caption(held: dict[str, Any]) -> None:
    held["steps"][0]["frames"][0]["caption"] = "four people"


def _no_check(held: dict[str, Any]) -> None:
    held["steps"] = [step for step in held["steps"] if step.get("task") != "checker.evaluate"]


def _more_time(held: dict[str, Any]) -> None:
    held["clock"] = held["clock"][:-1]


@pytest.mark.parametrize("change", [_other_reply, _other_answer, _other_caption, _no_check, _more_time])
def test_a_tampered_trace_is_caught_by_its_name_and_by_its_replay(
    tmp_path: Path, world: CaptionWorld, change: Any
) -> None:
    trace_ask(tmp_path, world, by_task(list(WAYS["passes"]), verdict(5)))
    file = TraceFolder(tmp_path).find("last")
    changed = _tamper(file.path, change)
    with pytest.raises(FileProblem, match="was changed after it was written"):
        file.load()
    assert not replay_trace(changed).is_identical
    assert replay_trace(changed).difference


def test_the_last_word_names_the_trace(tmp_path: Path, world: CaptionWorld) -> None:
    events: list[StepEvent] = []
    result = trace_ask(tmp_path, world, by_task([answer("A dog", 4)], verdict(5)), listener=events.append)
    finished = [event for event in events if isinstance(event, RunFinished)]
    assert [event.answer.trace_id for event in finished] == [result.trace_id]
    assert (tmp_path / "traces" / f"{result.trace_id}.json").is_file()


def test_no_key_is_written_down(tmp_path: Path, world: CaptionWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "hush-hush-123456")
    engine = ScriptedEngine(
        [
            f"hush-hush-123456 {answer('A dog', 4)}",
            BackendError("Bearer abcdefghijklmnop was refused; hush-hush-123456"),
        ]
    )
    trace_ask(tmp_path, world, engine, question="What is hush-hush-123456?")
    text = TraceFolder(tmp_path).find("last").path.read_text("utf-8")
    assert "hush-hush" not in text
    assert "abcdefghijklmnop" not in text
    assert replay_trace(last(tmp_path)).is_identical


def test_texts_stand_once(tmp_path: Path, world: CaptionWorld) -> None:
    trace_ask(tmp_path, world, by_task(list(WAYS["stumbles"]), verdict(4)))
    text = TraceFolder(tmp_path).find("last").path.read_text("utf-8")
    assert text.count("How you reply") == 2  # the template, and the message it was filled into


def test_a_trace_speaks_with_its_own_templates(
    tmp_path: Path, world: CaptionWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vidence.prompts import Template

    def own(template_id: str, language: str) -> Template:
        return Template(
            template_id, language, "Answer. {{question}}" if template_id == "solver.question" else "Do."
        )

    engine = by_task([answer("A dog", 4)], verdict(5))
    trace_ask(tmp_path, world, engine, "What?", load_template=own)
    assert engine.prompts[0].messages[1].text == "Answer. What?"
    assert replay_trace(last(tmp_path)).is_identical


def test_a_model_that_is_speaking_can_be_stopped(tmp_path: Path, world: CaptionWorld) -> None:
    heard: list[str] = []
    engine = ScriptedEngine([answer("A dog", 4)], pieces=50)

    def listen(event: StepEvent) -> None:
        if isinstance(event, Thinking):
            heard.append(event.text)

    result = trace_ask(tmp_path, world, engine, "What?", listener=listen, cancel=lambda: len(heard) > 1)
    assert (result.status, len(heard)) == ("failed", 2)
    assert result.gaps == ("The run was stopped.",)
    assert replay_trace(last(tmp_path)).is_identical


def test_every_event_but_the_last_is_in_the_trace_as_it_was_told(tmp_path: Path, world: CaptionWorld) -> None:
    events: list[StepEvent] = []
    trace_ask(
        tmp_path, world, by_task(list(WAYS["passes"]), verdict(5)), "有几个人？", listener=events.append
    )
    told = [event for event in events if not isinstance(event, Spending | Thinking | RunFinished)]
    kept = [event for event in last(tmp_path).events if not isinstance(event, RunFinished)]
    assert kept == told
    assert last(tmp_path).language == "zh"


def test_a_replay_tells_the_same_story(tmp_path: Path, world: CaptionWorld) -> None:
    trace_ask(tmp_path, world, by_task(list(WAYS["stumbles"]), [verdict(2, "No"), verdict(4)]))
    trace, events = last(tmp_path), list[StepEvent]()
    replay_trace(trace, listener=events.append)
    assert tuple(event for event in events if not isinstance(event, Spending | Thinking)) == trace.events


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"answer": None}, "answer differs"),
        ({"texts": {"extra": "x"}}, "texts differs"),
        ({"events": ()}, "events differs at entry 1"),
        ({"templates": ()}, "the recorded run did not use the template 'solver.system' (en)"),
    ],
)
def test_a_difference_names_the_part_that_differs(
    tmp_path: Path, world: CaptionWorld, change: dict[str, Any], difference: str
) -> None:
    trace_ask(tmp_path, world, by_task(list(WAYS["passes"]), verdict(5)))
    trace = last(tmp_path)
    if "texts" in change:
        change = {"texts": {**trace.texts, **change["texts"]}}
    assert replay_trace(trace.model_copy(update=change)).difference.startswith(difference)


def test_a_run_cancelled_before_it_begins_asks_nobody(tmp_path: Path, world: CaptionWorld) -> None:
    engine = ScriptedEngine([])
    result = trace_ask(tmp_path, world, engine, "有几个人？", cancel=lambda: True)
    assert (result.status, engine.prompts) == ("failed", [])
    assert last(tmp_path).cancelled_at is not None
    assert replay_trace(last(tmp_path)).is_identical


def test_a_stoppable_engine_is_the_engine_itself_until_it_is_stopped() -> None:
    engine = ScriptedEngine(["abcdef"] * 2, name="big", pieces=3)
    heard: list[str] = []
    stoppable = StoppableEngine(engine, lambda: len(heard) >= 2)
    assert (stoppable.name, stoppable.capabilities) == ("big", engine.capabilities)
    with pytest.raises(Stopped):
        stoppable.answer(PROMPT, on_text=heard.append)
    assert heard == ["ab", "cd"]
    assert StoppableEngine(engine, lambda: False).answer(PROMPT).text == "abcdef"
