"""A tool as an operation: the same validation, schemas, command, docs page, cache and provenance."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from pydantic import Field, create_model

from vidence.errors import BackendError
from vidence.language.tokens import stems
from vidence.ops.catalogue import get_operation
from vidence.ops.context import OpContext
from vidence.ops.detect_objects import detect_many
from vidence.ops.operation import Operation, Request, Result
from vidence.ops.runner import run_operation
from vidence.schema.time import TimeRange
from vidence.tools.check import Plan, check_tool
from vidence.tools.execute import CallAnswer, Limits, run_plan
from vidence.tools.steps import Slot, Tool, ValueType

__all__ = ["ToolResult", "as_operation"]

_PYTHON: Mapping[ValueType, Any] = {
    "string": str, "number": float, "integer": int, "boolean": bool,
    "object": dict[str, Any], "array": list[Any], "any": Any,
}  # fmt: skip
_SEMANTICS = 3
"""Incremented when the same tool gives another result; part of the cache key."""
_ALIKE = 0.5
"""Similarity of meaning from which two short texts match."""
_SHARED = 0.5
"""Share of the wanted words that a text must have."""
_WORTH_A_PASS = 3


class ToolResult(Result):
    """What a tool answers, besides its own outputs."""

    evidence: tuple[str, ...] = Field(description="Ids of the records that its steps left.")
    notes: tuple[str, ...] = Field(
        default=(), description="Steps with nothing to work on, items left out, a limit that was reached."
    )
    failed: tuple[str, ...] = Field(
        default=(), description="Steps whose operation could not answer, and why."
    )


def as_operation(tool: Tool, *, limits: Limits | None = None) -> Operation[Any, Any]:
    """Return a tool as an operation that calls the operations of its steps."""
    plan = check_tool(tool)
    used = [get_operation(name) for name in dict.fromkeys(call.api for call in tool.calls)]
    digest = hashlib.sha256(f"{_SEMANTICS} {tool.json}".encode()).hexdigest()
    inputs: Any = {name: _input(slot) for name, slot in tool.inputs.items()}
    outputs: Any = {name: _output(slot) for name, slot in tool.outputs.items()}
    request = create_model(f"{tool.name}_request", __base__=Request, **inputs)
    result = create_model(f"{tool.name}_result", __base__=ToolResult, **outputs)
    return Operation(
        name=tool.name,
        category="tool",
        purpose=tool.description,
        request=request,
        result=result,
        run=partial(_run, plan, result, limits or Limits()),
        stages=tuple(dict.fromkeys(stage for one in used for stage in one.stages)),
        also_reads=tuple(dict.fromkeys(stage for one in used for stage in one.also_reads)),
        capabilities=tuple(dict.fromkeys(kind for one in used for kind in one.capabilities)),
        stateful=any(one.stateful for one in used),
        version=int(digest[:12], 16),
        notes=f"A tool of {len(tool.calls)} calls: {', '.join(one.name for one in used)}.",
        example={name: "…" for name, slot in tool.inputs.items() if not slot.optional},
        span=_span,
    )


def _run(plan: Plan, kind: type[Result], limits: Limits, context: OpContext, request: Request) -> Result:
    given = {name: value for name in plan.tool.inputs if (value := getattr(request, name)) is not None}
    outcome = run_plan(plan, given, _Services(context, request.video_id), limits=limits)
    return kind.model_validate(
        {
            **outcome.outputs,
            "evidence": tuple(outcome.evidence),
            "notes": tuple(outcome.notes),
            "failed": tuple(outcome.failed),
        }
    )


def _input(slot: Slot) -> tuple[Any, Any]:
    kind = _PYTHON[slot.type]
    if slot.optional:
        return kind | None, Field(default=None, description=slot.description)
    return kind, Field(description=slot.description)


def _output(slot: Slot) -> tuple[Any, Any]:
    kind = _PYTHON[slot.type]
    described = slot.description or "None where it was not found."
    return (kind | None) if kind is not Any else Any, Field(default=None, description=described)


def _span(request: Request) -> TimeRange | None:
    """Return the stretch that a tool is given, if it is given one."""
    start, end = getattr(request, "start_time", None), getattr(request, "end_time", None)
    if isinstance(start, int | float) and isinstance(end, int | float) and 0 <= start <= end:
        return TimeRange(start_time=float(start), end_time=float(end))
    return None


@dataclass(frozen=True)
class _Services:
    """The operations on one video, as the steps of a tool call them."""

    context: OpContext
    video_id: str

    def call(self, api: str, params: Mapping[str, Any]) -> CallAnswer:
        inner = replace(self.context, models=[], progress=None)
        outcome = run_operation(get_operation(api), {**params, "video_id": self.video_id}, inner)
        for model in inner.models:
            self.context.used(model)
        return CallAnswer(outcome.result.model_dump(mode="json"), outcome.record.record_id)

    def prepare(self, api: str, calls: Sequence[Mapping[str, Any]]) -> None:
        """Detect objects at many times in one pass; the calls then hit the result cache."""
        others = {key: value for key, value in calls[0].items() if key != "timestamp"}
        if api != "detect_objects" or len(calls) < _WORTH_A_PASS:
            return
        if all({k: v for k, v in call.items() if k != "timestamp"} == others for call in calls):
            inner = replace(self.context, models=[], progress=None)
            detect_many(inner, self.video_id, [float(call["timestamp"]) for call in calls], **others)

    def matches(self, texts: Sequence[str], wanted: str) -> bool:
        """Say whether a text shares most words of what is wanted, or is close to it in meaning."""
        needed = set(stems(wanted))
        if any(len(needed & set(stems(text))) >= _SHARED * len(needed) for text in texts if needed):
            return True
        spoken = [text.replace("_", " ") for text in texts if text.strip()]
        try:
            vectors = self.context.shelf.text.embed([wanted, *spoken]) if spoken else np.zeros((1, 1))
        except BackendError:
            return False
        return bool(len(vectors) > 1 and float((vectors[1:] @ vectors[0]).max()) >= _ALIKE)
