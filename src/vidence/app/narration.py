"""What a run is doing, told in plain words while it does it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack

from vidence.app.workspace import Progress
from vidence.language.identify import question_language
from vidence.language.labels import label_in
from vidence.runs.brief import short_time, source_name
from vidence.schema.agent import AnswerLanguage, OperationCall
from vidence.schema.events import (
    AnswerProposed,
    Briefed,
    Checked,
    FramesFetched,
    Graded,
    OperationAnswered,
    OperationCalled,
    Refined,
    RunFinished,
    RunStarted,
    Spending,
    StepEvent,
    StepFailed,
    Thinking,
    Thought,
    Working,
)

__all__ = ["Narrator", "tell", "tell_calls"]

_WORDS: dict[AnswerLanguage, dict[str, str]] = {
    "en": {
        "look": "looked at {n} frames", "about": "for “{focus}”", "found": "→ {brief}",
        "answer": "answer: {text}", "checked": "check: {score}/5 {feedback}", "failed": "problem: {text}",
        "ask": "{name}: {what}", "many": "{name}: {what} … {last} ({n} times)",
        "graded": "attempt {n}: {score} of 100", "refined": "next: {text}",
        "used": "used: {calls} calls · {tokens} tokens · {seconds} s",
    },
    "zh": {
        "look": "看了 {n} 帧", "about": "寻找“{focus}”", "found": "→ {brief}",
        "answer": "答案：{text}", "checked": "检查：{score}/5 {feedback}", "failed": "问题：{text}",
        "ask": "{name}：{what}", "many": "{name}：{what} … {last}（{n} 次）",
        "graded": "第 {n} 轮：{score} 分", "refined": "接下来搜索：{text}",
        "used": "已用：{calls} 次调用 · {tokens} 词元 · {seconds} 秒",
    },
}  # fmt: skip
_MAX_CHARS = 200
_EACH = 3
"""The most calls in a row that are printed one by one."""
_SHOWN = 5
_SHORT_CHARS = 60


class Narrator:
    """A listener that shows progress while a run indexes, then a line for every step.

    `note` prints a line and `progress` opens progress bars, which `close` ends.
    """

    def __init__(
        self, note: Callable[[str], None], progress: Callable[[], AbstractContextManager[Progress]]
    ) -> None:
        self._note, self._progress = note, progress
        self._stack = ExitStack()
        self._bars: Progress | None = None
        self._language: AnswerLanguage = "en"
        self._thought = ""
        self._calls: list[tuple[OperationCall, str]] = []

    def __call__(self, event: StepEvent) -> None:
        """Say what happened."""
        if isinstance(event, Working):
            self._working(event)
            return
        if isinstance(event, Spending) and not event.spent.llm_calls:
            return
        self.close()
        if isinstance(event, RunStarted):
            self._language = question_language(event.question)
        if isinstance(event, Thinking):
            if self._calls:
                self._flush()
            self._thought += event.text
            return
        if isinstance(event, OperationCalled):
            if self._calls and not _alike(self._calls[-1][0], event.call):
                self._flush()
            self._calls.append((event.call, ""))
        elif isinstance(event, OperationAnswered | StepFailed) and self._calls and not self._calls[-1][1]:
            said = event.brief if isinstance(event, OperationAnswered) else event.problem
            self._calls[-1] = (self._calls[-1][0], said)
        else:
            self._flush()
            line = tell(event, self._language)
            if line:
                self._note(line)

    def close(self) -> None:
        """End the progress bars that are open."""
        self._stack.close()
        self._bars = None

    def _working(self, event: Working) -> None:
        if self._bars is None:
            self._bars = self._stack.enter_context(self._progress())
        self._bars(event.what, event.progress)

    def _flush(self) -> None:
        thought = " ".join(self._thought.split())
        self._thought = ""
        if thought:
            self._note(f"· {_cut(thought)}")
        calls, self._calls = self._calls, []
        for line in tell_calls(calls, self._language):
            self._note(line)


def tell(event: StepEvent, language: AnswerLanguage) -> str:
    """Return one line about an event, empty for events that need none."""
    words = _WORDS[language]
    match event:
        case FramesFetched():
            about = f" {words['about'].format(focus=event.focus)}" if event.focus else ""
            times = [short_time(frame.timestamp_s) for frame in event.frames if frame.timestamp_s is not None]
            where = f" ({', '.join(times)})" if times else ""
            return f"  {words['look'].format(n=len(event.frames))}{_cut(about)}{where}"
        case OperationCalled():
            return _call_line(event.call, language)
        case OperationAnswered():
            return f"    {words['found'].format(brief=_cut(event.brief))}"
        case AnswerProposed():
            return f"  {words['answer'].format(text=_cut(event.answer.final_answer))}"
        case Checked():
            score, said = event.verdict.confidence_score, _cut(event.verdict.feedback)
            return f"  {words['checked'].format(score=score, feedback=said)}".rstrip()
        case Graded():
            return f"  {words['graded'].format(n=event.attempt, score=event.grade.score)}"
        case Refined():
            return f"  {words['refined'].format(text=_cut(', '.join(event.queries)))}"
        case StepFailed():
            return f"  {words['failed'].format(text=_cut(event.problem))}"
        case Thought():
            seen = f" → {event.thought.observation}" if event.thought.observation else ""
            return _cut(f"[{event.thought.phase.value}] {event.thought.thought}{seen}")
        case Spending():
            return _spending_line(event, words) if event.spent.llm_calls else ""
        case RunStarted() | RunFinished() | Working() | Thinking() | Briefed():
            return ""


def tell_calls(calls: Sequence[tuple[OperationCall, str]], language: AnswerLanguage) -> list[str]:
    """Return lines about calls that differ only in their time; many of them are summed up."""
    words = _WORDS[language]
    if len(calls) <= _EACH:
        return [
            line
            for call, said in calls
            for line in (_call_line(call, language), f"    {words['found'].format(brief=_cut(said))}")
        ]
    first, last = _asked(calls[0][0], language), _asked(calls[-1][0], language).rpartition(" ")[2]
    name = source_name(calls[0][0].operation, language)
    head = words["many"].format(name=name, what=first, last=last, n=len(calls))
    counted = Counter(said for _, said in calls)
    shown = [f"{said} ×{number}" if number > 1 else said for said, number in counted.most_common(_SHOWN)]
    more = ["…"] if len(counted) > _SHOWN else []
    return [f"  {head}", f"    {words['found'].format(brief='; '.join([*map(_short, shown), *more]))}"]


def _call_line(call: OperationCall, language: AnswerLanguage) -> str:
    name = source_name(call.operation, language)
    return f"  {_WORDS[language]['ask'].format(name=name, what=_asked(call, language))}"


def _spending_line(event: Spending, words: Mapping[str, str]) -> str:
    """Return what a language model has cost so far, against the budget."""
    spent, budget = event.spent, event.budget
    used = words["used"].format(
        calls=_of(spent.llm_calls, budget.llm_calls),
        tokens=_of(spent.usage.total_tokens, budget.tokens),
        seconds=_of(round(spent.seconds), budget.seconds),
    )
    return f"  {used}{f' · ${spent.usage.usd:.4f}' if spent.usage.usd else ''}"


def _of(value: int, most: float | None) -> str:
    return f"{value:,}" if most is None else f"{value:,}/{most:,g}"


def _alike(one: OperationCall, other: OperationCall) -> bool:
    """Return whether two calls differ only in their time."""
    moments = ("timestamp", "start_time", "end_time", "time_range", "entity_id")
    rest = [
        {key: value for key, value in call.arguments.items() if key not in moments} for call in (one, other)
    ]
    return one.operation == other.operation and rest[0] == rest[1]


def _asked(call: OperationCall, language: AnswerLanguage) -> str:
    """Return the arguments worth printing: words first, labels in the language, then times."""
    arguments = {
        name: value for name, value in call.arguments.items() if name != "video_id" and value is not None
    }
    words = [
        f"“{label_in(str(value), language)}”"
        for name, value in arguments.items()
        if name in ("query", "category", "focus")
    ]
    times = [arguments[name] for name in ("timestamp", "start_time", "end_time") if name in arguments]
    moments = [short_time(float(time)) for time in times if isinstance(time, int | float)]
    span = arguments.get("time_range")
    if isinstance(span, dict):
        moments += [short_time(float(span[name])) for name in ("start_time", "end_time") if name in span]
    return " ".join([*words, "–".join(moments)]).strip() or "…"


def _short(text: str) -> str:
    return text if len(text) <= _SHORT_CHARS else f"{text[: _SHORT_CHARS - 1]}…"


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_CHARS else f"{text[: _MAX_CHARS - 1]}…"
