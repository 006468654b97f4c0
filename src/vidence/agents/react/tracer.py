"""AgentTracer: a run over a story as the seed's JSON, an export of the trace that the kernel keeps."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

from vidence.agents.react.loop import AGENT, GRADER, GRADER_TASK, REACT_TASK, REFINER
from vidence.agents.react.refiner import REFINER_TASK
from vidence.errors import FileProblem, UserError
from vidence.schema.events import (
    AnswerProposed,
    Graded,
    OperationAnswered,
    OperationCalled,
    Refined,
    StepEvent,
    StepFailed,
)
from vidence.schema.react import ReActReply
from vidence.schema.trace import ModelStep, OperationStep, Trace

__all__ = ["AgentTracer"]


class AgentTracer:
    """Turns a kept trace into `{timestamp}-{query_hash}.json`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def export(self, trace: Trace) -> dict[str, Any]:
        """Return a trace in the seed's form; UserError for a trace of another loop."""
        if trace.loop != "react":
            raise UserError(
                f"This trace is of the loop {trace.loop!r}; only runs over a story have this form."
            )
        attempts = [
            _attempt(number, trace, events, steps)
            for number, (events, steps) in enumerate(
                zip(_parts(trace.events), _steps(trace), strict=False), start=1
            )
        ]
        answer = trace.answer
        return {
            "trace_id": _trace_id(trace),
            "query": trace.question,
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(trace.started_at)),
            "config": {
                "agent_model": trace.engines[AGENT].name,
                "grader_model": trace.engines[GRADER].name,
                "refiner_model": trace.engines[REFINER].name,
                "max_retries": trace.given.get("attempts", 3),
            },
            "attempts": attempts,
            "final_response": answer.answer if answer else "",
            "passed": bool(answer and answer.passed),
            "total_duration_ms": round(1000 * (trace.clock[-1] if trace.clock else 0.0)),
        }

    def save(self, trace: Trace) -> Path:
        """Write the export below the folder and return where it is."""
        body = self.export(trace)
        path = self._folder / "logger" / "traces" / f"{body['trace_id']}.json"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(body, ensure_ascii=False, indent=2), encoding="utf-8")
        except OSError as exc:
            raise FileProblem(f"{path} cannot be written: {exc.strerror}.") from exc
        return path


def _trace_id(trace: Trace) -> str:
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(trace.started_at))
    return f"{stamp}-{hashlib.sha256(trace.question.encode()).hexdigest()[:6]}"


def _parts(events: tuple[StepEvent, ...]) -> list[list[StepEvent]]:
    """Return the events attempt by attempt; a refinement ends an attempt."""
    parts: list[list[StepEvent]] = [[]]
    for event in events:
        parts[-1].append(event)
        if isinstance(event, Refined):
            parts.append([])
    return parts if any(isinstance(event, Graded) for event in parts[-1]) or len(parts) == 1 else parts[:-1]


def _steps(trace: Trace) -> list[list[ModelStep | OperationStep]]:
    """Return the calls of engines and tools attempt by attempt; the refiner's end an attempt."""
    parts: list[list[ModelStep | OperationStep]] = [[]]
    for step in trace.steps:
        if not isinstance(step, ModelStep | OperationStep):
            continue
        last = parts[-1][-1] if parts[-1] else None
        if _is_of(last, REFINER_TASK) and not _is_of(step, REFINER_TASK):
            parts.append([])
        parts[-1].append(step)
    return parts


def _is_of(step: ModelStep | OperationStep | None, task: str) -> bool:
    return isinstance(step, ModelStep) and step.task == task


def _attempt(
    number: int, trace: Trace, events: list[StepEvent], steps: list[ModelStep | OperationStep]
) -> dict[str, Any]:
    results = {
        step.record.record_id: step.record.result
        for step in steps
        if isinstance(step, OperationStep) and step.record is not None
    }
    replies = [
        trace.texts.get(step.reply or "", "")
        for step in steps
        if isinstance(step, ModelStep) and step.task == REACT_TASK
    ]
    calls: list[dict[str, Any]] = []
    attempt: dict[str, Any] = {"attempt": number, "limit": _limit(trace, number), "tool_calls": calls}
    for event in events:
        match event:
            case OperationCalled():
                calls.append({"tool": event.call.operation, "input": event.call.arguments, "output": None})
            case OperationAnswered():
                calls[-1]["output"] = results.get(event.record_id)
            case StepFailed() if calls and calls[-1]["output"] is None:
                calls[-1]["output"] = event.problem
            case AnswerProposed():
                attempt["answer"] = event.answer.final_answer
            case Graded():
                given = {"question_type": event.grade.question_type, "counts": event.grade.counts}
                attempt["grading"] = {
                    "input": {**given, "answer": attempt.get("answer", "")},
                    "output": event.grade.model_dump(mode="json", exclude={"counts", "question_type"}),
                }
            case Refined():
                attempt["refiner"] = {"queries": list(event.queries)}
            case _:
                pass
    attempt["reasoning"] = _reasoning(replies, calls)
    attempt["durations_ms"] = _durations(steps)
    return attempt


def _durations(steps: list[ModelStep | OperationStep]) -> dict[str, int]:
    """Return how long the engine of each role took."""
    spent = dict.fromkeys((REACT_TASK, GRADER_TASK, REFINER_TASK), 0.0)
    for step in steps:
        if isinstance(step, ModelStep) and step.task in spent:
            spent[step.task] += step.seconds
    return {
        role: round(1000 * each) for role, each in zip((AGENT, GRADER, REFINER), spent.values(), strict=True)
    }


def _limit(trace: Trace, number: int) -> int:
    limits = trace.given.get("limits") or [3]
    return int(limits[min(number, len(limits)) - 1])


def _reasoning(replies: list[str], calls: list[dict[str, Any]]) -> dict[str, Any]:
    thoughts, actions = [], []
    for reply in replies:
        try:
            read = ReActReply.from_text(reply)
        except ValueError:
            continue
        thoughts.append(read.thought)
        if read.call is not None:
            actions.append({"tool": read.call.operation, "input": read.call.arguments})
    observations = [call["output"] for call in calls]
    stream = []
    for number, reply in enumerate(replies):
        stream.append(reply.strip())
        if number < len(observations):
            stream.append(f"Observation: {json.dumps(observations[number], ensure_ascii=False)[:2000]}")
    return {
        "raw_stream": "\n".join(stream),
        "thoughts": thoughts,
        "actions": actions,
        "observations": observations,
    }
