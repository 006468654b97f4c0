from __future__ import annotations

from contextlib import ExitStack

import pytest

from vidence.cli.narration import Narrator, tell_calls
from vidence.cli.options import Options
from vidence.cli.terminal import Terminal
from vidence.schema.agent import AnswerPayload, CheckerResponse, MemoryUnit, OperationCall
from vidence.schema.events import (
    AnswerProposed,
    Checked,
    FramesFetched,
    OperationAnswered,
    OperationCalled,
    RunStarted,
    StepEvent,
    StepFailed,
    Thinking,
)


def called(time: float, operation: str = "detect_objects", **more: object) -> OperationCall:
    return OperationCall(operation=operation, arguments={"video_id": "v", "timestamp": time, **more})


def told(capsys: pytest.CaptureFixture[str], *events: StepEvent) -> list[str]:
    with ExitStack() as stack:
        narrator = Narrator(Terminal(Options()), stack)
        for event in events:
            narrator(event)
    return capsys.readouterr().err.splitlines()


def test_a_run_is_told_in_plain_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    lines = told(
        capsys,
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


def test_many_calls_alike_are_told_together() -> None:
    calls = [(called(float(second), category="cup"), "nothing" if second else "cup") for second in range(30)]
    assert tell_calls(calls, "en") == ["  objects: “cup” 00:00 … 00:29 (30 times)", "    → nothing ×29; cup"]
    assert tell_calls(calls, "zh")[0] == "  物体：“cup” 00:00 … 00:29（30 次）"


def test_what_a_video_says_cannot_speak_to_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    (line,) = told(capsys, AnswerProposed(answer=AnswerPayload(final_answer="\x1b[2J[red]x[/red]\nfake")))
    assert line == r"  answer: \x1b[2J[red]x[/red]\nfake"
