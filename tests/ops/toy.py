"""A small operation that touches every kind of parameter, to test the framework with."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from vidence.ops import OpContext, Operation
from vidence.ops.operation import Request, Result
from vidence.schema.time import TimeRange


class Part(BaseModel):
    """One part of a result."""

    name: str
    score: float | None = None


class ToyRequest(Request):
    """Every kind of parameter."""

    mode: Literal["slow", "fast"] = Field(default="slow", description="How fast.")
    top_k: int = Field(default=10, ge=1, le=100)
    query: str = Field(min_length=1, max_length=200, description="What to look for.")
    time_range: TimeRange | None = None
    kinds: list[str] | None = None
    threshold: float = Field(default=0.3, gt=0, le=1)


class ToyResult(Result):
    """What came in, counted."""

    parts: list[Part]
    calls: int


def make_toy(
    *, stateful: bool = False, version: int = 1
) -> tuple[Operation[ToyRequest, ToyResult], list[str]]:
    """Return an operation and the list of queries it really ran."""
    ran: list[str] = []

    def run(context: OpContext, request: ToyRequest) -> ToyResult:
        ran.append(request.query)
        context.used("toy-model@1")
        return ToyResult(parts=[Part(name=request.query)] * min(request.top_k, 3), calls=len(ran))

    operation = Operation(
        name="toy",
        category="retrieval",
        purpose="Look for a toy.",
        request=ToyRequest,
        result=ToyResult,
        run=run,
        stateful=stateful,
        version=version,
        example={"query": "ball"},
        span=lambda request: request.time_range,
    )
    return operation, ran
