"""The kernel: whatever a loop does, budget, events, evidence and judging are the run's."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.scripts import verdict
from vidence.errors import BackendError, OpFailed, UserError
from vidence.llm.scripted import Script, ScriptedEngine
from vidence.llm.structured import InvalidReply
from vidence.prompts import Prompt
from vidence.runs.budget import LimitReached
from vidence.runs.judge import Candidate
from vidence.runs.run import CHECKER, Loop, Run, run_loop
from vidence.runs.worlds.captions import CaptionWorld
from vidence.schema.agent import AgentAnswer, AnswerPayload, Budget, MemoryUnit, OperationCall, RunInput
from vidence.schema.engine import Capabilities
from vidence.schema.events import StepEvent
from vidence.schema.evidence import Citation, Claim, EvidenceRecord
from vidence.schema.message import Message

Act = Callable[[Run[RunInput]], AnswerPayload | None]


def says(text: str, frame: int = 4) -> AnswerPayload:
    claim = Claim(text=text, citations=(Citation(record_id=f"frame_{frame}"),))
    return AnswerPayload(final_answer=text, claims=(claim,))


def prompt(text: str = "?") -> Prompt:
    message = Message(role="user", text=text)
    return Prompt("any.task", (message,), RunInput(question="?", language="en"), AnswerPayload)


def loop_of(*acts: Act, again: bool = True, last: Act | None = None) -> type[Loop[RunInput]]:
    """Return a loop that does one act a step; the last act repeats."""

    class Acts(Loop[RunInput]):
        name = "acts"

        def step(self) -> AnswerPayload | None:
            return acts[min(self.run.meter.steps, len(acts)) - 1](self.run)

        def rejected(self, candidate: Candidate) -> bool:
            return again

        def last_answer(self) -> AnswerPayload | None:
            return last(self.run) if last is not None else None

    return Acts


def drive(
    loop: type[Loop[RunInput]],
    world: CaptionWorld,
    lines: Script = lambda _: verdict(5),
    *,
    events: list[StepEvent] | None = None,
    capabilities: Capabilities | None = None,
    **more: Any,
) -> AgentAnswer:
    engine = ScriptedEngine(lines, capabilities=capabilities)
    given = RunInput(question="What sleeps on the floor?", language="en", **more)
    listener = None if events is None else events.append
    return run_loop(loop, given, world, {"main": engine, CHECKER: engine}, listener=listener)


def look(run: Run[RunInput]) -> None:
    run.fetch(10, first=True)


def test_an_answer_that_passes_ends_the_run(world: CaptionWorld) -> None:
    events: list[StepEvent] = []

    def act(run: Run[RunInput]) -> AnswerPayload:
        run.fetch(10, first=True)
        return says("a dog")

    answer = drive(loop_of(act), world, events=events)
    assert (answer.answer, answer.passed, answer.spent.steps) == ("a dog", True, 1)
    assert [event.kind for event in events] == [
        "started",
        "frames",
        "answer",
        "spending",
        "checked",
        "finished",
    ]


def test_a_loop_that_never_answers_stops_at_its_steps(world: CaptionWorld) -> None:
    answer = drive(loop_of(look), world, budget=Budget(steps=4))
    assert (answer.status, answer.spent.steps) == ("failed", 4)
    assert answer.gaps == ("The limit of 4 steps was reached.",)


def test_a_last_answer_is_judged_like_any_other(world: CaptionWorld) -> None:
    answer = drive(loop_of(look, last=lambda run: says("a dog")), world, budget=Budget(steps=2))
    assert (answer.answer, answer.passed) == ("a dog", True)
    assert "2 steps" in answer.gaps[0]
    wrong = drive(loop_of(look, last=lambda run: says("7 dogs")), world, budget=Budget(steps=2))
    assert not wrong.passed
    assert wrong.confidence_score == 3


def test_no_last_answer_is_asked_for_where_there_is_one(world: CaptionWorld) -> None:
    asked: list[int] = []

    def last(run: Run[RunInput]) -> None:
        asked.append(run.meter.steps)

    drive(loop_of(lambda run: says("a horse", 99), last=last), world, budget=Budget(steps=2))
    assert asked == []


def test_a_loop_that_does_not_try_again_ends_with_its_best_answer(world: CaptionWorld) -> None:
    def act(run: Run[RunInput]) -> AnswerPayload:
        look(run)
        return says("a dog")

    answer = drive(loop_of(act, again=False), world, [verdict(2, "No.")])
    assert (answer.answer, answer.passed, answer.spent.steps) == ("a dog", False, 1)


@pytest.mark.parametrize(("deterministic", "steps"), [(True, 2), (False, 3)])
def test_a_deterministic_engine_is_not_asked_for_the_same_again(
    world: CaptionWorld, deterministic: bool, steps: int
) -> None:
    def act(run: Run[RunInput]) -> AnswerPayload:
        look(run)
        return says("a dog")

    can = Capabilities(deterministic=deterministic)
    answer = drive(loop_of(act), world, [verdict(2)] * 3, capabilities=can, budget=Budget(steps=3))
    assert answer.spent.steps == steps


@pytest.mark.parametrize(
    "error", [BackendError("the wire broke"), UserError("no such thing"), InvalidReply("no JSON")]
)
def test_an_error_in_a_step_becomes_a_gap(world: CaptionWorld, error: Exception) -> None:
    def act(run: Run[RunInput]) -> None:
        raise error

    events: list[StepEvent] = []
    answer = drive(loop_of(act), world, events=events)
    assert answer.status == "failed"
    assert str(error) in answer.gaps[0]
    assert "failed" in [event.kind for event in events]


def test_an_error_of_ours_is_not_hidden(world: CaptionWorld) -> None:
    def act(run: Run[RunInput]) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        drive(loop_of(act), world)


def test_every_attempt_of_an_ask_is_counted_and_allowed(world: CaptionWorld) -> None:
    seen: list[int] = []

    def act(run: Run[RunInput]) -> AnswerPayload:
        look(run)
        try:
            return run.ask(prompt(), AnswerPayload, attempts=5).value
        finally:
            seen.append(run.meter.llm_calls)

    good = says("a dog").model_dump_json()
    answer = drive(loop_of(act), world, ["no", "still no", good, verdict(5)])
    assert (answer.passed, answer.spent.llm_calls) == (True, 4)
    short = drive(loop_of(act), world, ["no", "still no", good], budget=Budget(llm_calls=2))
    assert (short.status, short.spent.llm_calls, seen[-1]) == ("failed", 2, 2)
    assert short.gaps == ("The limit of 2 model calls was reached.",)


def test_an_invalid_reply_says_what_was_replied(world: CaptionWorld) -> None:
    caught: list[str] = []

    def act(run: Run[RunInput]) -> None:
        with pytest.raises(InvalidReply) as raised:
            run.ask(prompt(), AnswerPayload)
        caught.append(raised.value.reply)

    answer = drive(loop_of(act), world, lambda _: "nothing useful", budget=Budget(steps=2))
    assert caught == ["nothing useful"] * 2
    assert any("2 replies without valid JSON" in gap for gap in answer.gaps)


def test_limits_are_looked_at_before_a_call(world: CaptionWorld) -> None:
    def act(run: Run[RunInput]) -> None:
        run.meter.llm_calls = 3
        with pytest.raises(LimitReached, match="llm_calls 3"):
            run.ask(prompt(), AnswerPayload)

    answer = drive(loop_of(act), world, [], budget=Budget(llm_calls=3))
    assert answer.spent.llm_calls == 3


class FrameWorld(CaptionWorld):
    """Captions whose operations answer, or fail."""

    def __init__(self, captions: Sequence[MemoryUnit], fails: str = "") -> None:
        super().__init__(captions)
        self._fails = fails

    def call(self, call: OperationCall) -> EvidenceRecord:
        if call.operation == self._fails:
            raise OpFailed("the lens is dirty")
        return EvidenceRecord(record_id=f"rec_{call.operation}", kind="operation", source=call.operation)

    def fetch_new_frames(self, count: int, focus: str | None = None) -> list[MemoryUnit]:
        if focus == self._fails:
            raise OpFailed("the lens is dirty")
        return super().fetch_new_frames(count, focus)


def test_calls_become_records_and_failures_observations(captions: tuple[MemoryUnit, ...]) -> None:
    def act(run: Run[RunInput]) -> AnswerPayload:
        good, bad = run.call([OperationCall(operation="look"), OperationCall(operation="smell")])
        assert good.record is not None
        assert good.record.record_id == "rec_look"
        assert (bad.record, bad.problem) == (None, "the lens is dirty")
        assert [record.record_id for record in run.ledger] == ["rec_look"]
        assert [call.operation for call, _ in run.ledger.failed] == ["smell"]
        return AnswerPayload(final_answer="", cannot_tell=True)

    events: list[StepEvent] = []
    answer = drive(loop_of(act), FrameWorld(captions, "smell"), events=events)
    assert (answer.status, answer.spent.operations) == ("cannot_tell", 2)
    kinds = [event.kind for event in events if event.kind != "spending"]
    assert kinds == ["started", "operation", "result", "operation", "failed", "answer", "checked", "finished"]


def test_no_more_calls_are_run_than_the_engine_takes(captions: tuple[MemoryUnit, ...]) -> None:
    def act(run: Run[RunInput]) -> AnswerPayload:
        observed = run.call([OperationCall(operation=f"look_{number}") for number in range(9)])
        assert len(observed) == 3
        return AnswerPayload(final_answer="", cannot_tell=True)

    answer = drive(loop_of(act), FrameWorld(captions), capabilities=Capabilities(max_calls=3))
    assert answer.spent.operations == 3


def test_frames_are_fetched_within_the_budget_and_failures_are_gaps(captions: tuple[MemoryUnit, ...]) -> None:
    def act(run: Run[RunInput]) -> AnswerPayload:
        assert len(run.fetch(5, first=True).frames) == 5
        failed = run.fetch(2, "smoke")
        assert (failed.frames, failed.problem) == ((), "the lens is dirty")
        assert len(run.fetch(9).frames) == 2
        assert run.fetch(1).note == "you asked for 1; no more frames may be fetched"
        return AnswerPayload(final_answer="", cannot_tell=True)

    answer = drive(loop_of(act), FrameWorld(captions, "smoke"), budget=Budget(frames=7))
    assert answer.spent.frames == 7
    assert "Looking at the video failed: the lens is dirty" in answer.gaps


def test_only_the_main_engine_s_thoughts_are_told(world: CaptionWorld) -> None:
    def act(run: Run[RunInput]) -> AnswerPayload:
        look(run)
        return run.ask(prompt(), AnswerPayload).value

    events: list[StepEvent] = []
    thought = f"A dog, I think. {says('a dog').model_dump_json()}"
    judged = f"Strict. {json.dumps({'confidence_score': 5})}"
    drive(loop_of(act), world, [thought, judged], events=events)
    assert "".join(event.text for event in events if event.kind == "thinking") == "A dog, I think. "
