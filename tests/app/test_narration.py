from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from vidence.app.narration import Narrator, tell_calls
from vidence.app.workspace import Progress
from vidence.schema.agent import AnswerPayload, Budget, CheckerResponse, MemoryUnit, OperationCall, Spent
from vidence.schema.events import (
    AnswerProposed,
    Checked,
    FramesFetched,
    OperationAnswered,
    OperationCalled,
    RunStarted,
    Spending,
    StepEvent,
    StepFailed,
    Thinking,
    Working,
)
from vidence.schema.message import Usage


def called(time: float, operation: str = "detect_objects", **more: object) -> OperationCall:
    return OperationCall(operation=operation, arguments={"video_id": "v", "timestamp": time, **more})


def told(*events: StepEvent) -> list[str]:
    lines: list[str] = []
    narrator = Narrator(lines.append, lambda: nullcontext(lambda task, fraction: None))
    for event in events:
        narrator(event)
    return lines


def test_a_run_is_told_in_plain_words() -> None:
    lines = told(
        RunStarted(question="How many?", engine="x"),
        FramesFetched(focus="cups", frames=(MemoryUnit(frame_id=1, caption="a", timestamp_s=61),)),
        Thinking(text="Let me "),
        Thinking(text="look.\n"),
        OperationCalled(call=called(3, query="a cup")),
        OperationAnswered(operation="detect_objects", record_id="r", brief="2 × cup"),
        Thinking(text="Two."),
        StepFailed(problem="no JSON"),
        AnswerProposed(answer=AnswerPayload(final_answer="Two")),
        Checked(verdict=CheckerResponse(confidence_score=2, feedback="Look again")),
    )
    assert lines == [
        "  looked at 1 frames for “cups” (01:01)",
        "· Let me look.",
        "  objects: “a cup” 00:03",
        "    → 2 × cup",
        "· Two.",
        "  problem: no JSON",
        "  answer: Two",
        "  check: 2/5 Look again",
    ]


def test_what_a_language_model_costs_is_told_against_the_budget() -> None:
    budget = Budget(llm_calls=8, tokens=20_000)
    usage = Usage(input_tokens=1200, output_tokens=34, usd=0.0123)
    lines = told(
        RunStarted(question="几个？", engine="x"),
        Spending(spent=Spent(), budget=budget),
        Spending(spent=Spent(llm_calls=2, usage=usage, seconds=3.4), budget=budget),
    )
    assert lines == ["  已用：2/8 次调用 · 1,234/20,000 词元 · 3 秒 · $0.0123"]


def test_many_calls_alike_are_told_together() -> None:
    calls = [(called(float(second), category="cup"), "nothing" if second else "cup") for second in range(30)]
    assert tell_calls(calls, "en") == ["  objects: “cup” 00:00 … 00:29 (30 times)", "    → nothing ×29; cup"]
    assert tell_calls(calls, "zh")[0] == "  物体：“杯子” 00:00 … 00:29（30 次）"


def test_progress_is_shown_while_a_run_indexes_and_ended_by_the_next_step() -> None:
    seen: list[tuple[str, float]] = []
    closed: list[bool] = []

    @contextmanager
    def bars() -> Iterator[Progress]:
        yield lambda task, fraction: seen.append((task, fraction))
        closed.append(True)

    narrator = Narrator(lambda line: None, bars)
    narrator(Working(what="a.mp4: shots", progress=0.5))
    assert (seen, closed) == ([("a.mp4: shots", 0.5)], [])
    narrator(RunStarted(question="How many?", engine="x"))
    assert closed == [True]


def test_labels_asked_for_are_named_in_the_language_of_the_question() -> None:
    call = OperationCall(operation="detect_objects", arguments={"timestamp": 5.0, "category": "cat"})
    (line, _) = tell_calls([(call, "没有")], "zh")
    assert "“猫”" in line
