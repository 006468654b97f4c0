"""Telling in plain words what a run is doing, while it does it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from vidence.agents.brief import short_time, source_name
from vidence.agents.language import question_language
from vidence.cli.terminal import Terminal
from vidence.schema.agent import AnswerLanguage, OperationCall
from vidence.schema.events import (
    AnswerProposed,
    Checked,
    FramesFetched,
    OperationAnswered,
    OperationCalled,
    RunFinished,
    RunStarted,
    StepEvent,
    StepFailed,
    Thinking,
    Working,
)

__all__ = ["Narrator", "tell"]

_WORDS: dict[AnswerLanguage, dict[str, str]] = {
    "en": {
        "look": "looked at {n} frames", "about": "for “{focus}”", "found": "→ {brief}",
        "answer": "answer: {text}", "checked": "check: {score}/5 {feedback}", "failed": "problem: {text}",
        "ask": "{name}: {what}",
    },
    "zh": {
        "look": "看了 {n} 帧", "about": "寻找“{focus}”", "found": "→ {brief}",
        "answer": "答案：{text}", "checked": "检查：{score}/5 {feedback}", "failed": "问题：{text}",
        "ask": "{name}：{what}",
    },
}  # fmt: skip
_MAX_CHARS = 200


class Narrator:
    """Listens to a run: bars while it indexes, then a line for every step."""

    def __init__(self, terminal: Terminal, stack: ExitStack) -> None:
        self._terminal, self._stack = terminal, stack
        self._bars: Callable[[str, float], None] | None = None
        self._language: AnswerLanguage = "en"
        self._thought = ""

    def __call__(self, event: StepEvent) -> None:
        """Say what happened."""
        if isinstance(event, Working):
            self._working(event)
            return
        self._stack.close()
        self._bars = None
        if isinstance(event, RunStarted):
            self._language = question_language(event.question)
        if isinstance(event, Thinking):
            self._thought += event.text
            return
        self._flush()
        line = tell(event, self._language)
        if line:
            self._terminal.note(line)

    def _working(self, event: Working) -> None:
        if self._bars is None:
            self._bars = self._stack.enter_context(self._terminal.progress())
        self._bars(event.what, event.progress)

    def _flush(self) -> None:
        thought = " ".join(self._thought.split())
        self._thought = ""
        if thought:
            self._terminal.note(f"· {_cut(thought)}")


def tell(event: StepEvent, language: AnswerLanguage) -> str:
    """Return one line about an event; nothing where there is nothing to say."""
    words = _WORDS[language]
    match event:
        case FramesFetched():
            about = f" {words['about'].format(focus=event.focus)}" if event.focus else ""
            times = [short_time(frame.timestamp_s) for frame in event.frames if frame.timestamp_s is not None]
            where = f" ({', '.join(times)})" if times else ""
            return f"  {words['look'].format(n=len(event.frames))}{_cut(about)}{where}"
        case OperationCalled():
            name = source_name(event.call.operation, language)
            return f"  {words['ask'].format(name=name, what=_asked(event.call))}"
        case OperationAnswered():
            return f"    {words['found'].format(brief=_cut(event.brief))}"
        case AnswerProposed():
            return f"  {words['answer'].format(text=_cut(event.answer.final_answer))}"
        case Checked():
            score, said = event.verdict.confidence_score, _cut(event.verdict.feedback)
            return f"  {words['checked'].format(score=score, feedback=said)}".rstrip()
        case StepFailed():
            return f"  {words['failed'].format(text=_cut(event.problem))}"
        case RunStarted() | RunFinished() | Working() | Thinking():
            return ""


def _asked(call: OperationCall) -> str:
    """Return the arguments that say something: words first, then times."""
    arguments = {
        name: value for name, value in call.arguments.items() if name != "video_id" and value is not None
    }
    words = [f"“{value}”" for name, value in arguments.items() if name in ("query", "category", "focus")]
    times = [arguments[name] for name in ("timestamp", "start_time", "end_time") if name in arguments]
    moments = [short_time(float(time)) for time in times if isinstance(time, int | float)]
    span = arguments.get("time_range")
    if isinstance(span, dict):
        moments += [short_time(float(span[name])) for name in ("start_time", "end_time") if name in span]
    return " ".join([*words, "–".join(moments)]).strip() or "…"


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_CHARS else f"{text[: _MAX_CHARS - 1]}…"
