"""What a run tells while it works: one stream of typed events for the terminal, the page and the trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import Field

from vidence.schema.agent import (
    AgentAnswer,
    AnswerPayload,
    Budget,
    CheckerResponse,
    MemoryUnit,
    OperationCall,
    Spent,
)
from vidence.schema.briefing import Briefing
from vidence.schema.frozen import Frozen
from vidence.schema.react import Grade
from vidence.schema.thought import ThoughtStep

__all__ = [
    "AnswerProposed",
    "Briefed",
    "Checked",
    "FramesFetched",
    "Graded",
    "Listener",
    "OperationAnswered",
    "OperationCalled",
    "Refined",
    "RunFinished",
    "RunStarted",
    "Spending",
    "StepEvent",
    "StepFailed",
    "Thinking",
    "Thought",
    "Working",
]


class _Event(Frozen):
    step: int = 0


class RunStarted(_Event):
    kind: Literal["started"] = "started"
    question: str
    engine: str
    videos: tuple[str, ...] = ()


class Working(_Event):
    """Long work beneath a step, such as indexing."""

    kind: Literal["working"] = "working"
    what: str
    progress: float


class Thinking(_Event):
    """A piece of the Solver's thinking as it arrives."""

    kind: Literal["thinking"] = "thinking"
    text: str


class FramesFetched(_Event):
    kind: Literal["frames"] = "frames"
    focus: str | None = None
    frames: tuple[MemoryUnit, ...] = ()


class OperationCalled(_Event):
    kind: Literal["operation"] = "operation"
    call: OperationCall


class OperationAnswered(_Event):
    kind: Literal["result"] = "result"
    operation: str
    record_id: str
    brief: str
    """The result in one line for a person."""


class Spending(_Event):
    """What the run has used so far of its budget; told after every call of an engine."""

    kind: Literal["spending"] = "spending"
    spent: Spent
    budget: Budget


class AnswerProposed(_Event):
    kind: Literal["answer"] = "answer"
    answer: AnswerPayload


class Checked(_Event):
    kind: Literal["checked"] = "checked"
    verdict: CheckerResponse


class Graded(_Event):
    """The grade of an answer over a story."""

    kind: Literal["graded"] = "graded"
    attempt: int
    grade: Grade


class Refined(_Event):
    """What to search for in the next attempt."""

    kind: Literal["refined"] = "refined"
    attempt: int
    queries: tuple[str, ...]


class StepFailed(_Event):
    """Something went wrong and the run goes on."""

    kind: Literal["failed"] = "failed"
    problem: str


class Thought(_Event):
    """One step of a monitor's thinking."""

    kind: Literal["thought"] = "thought"
    thought: ThoughtStep


class Briefed(_Event):
    """A monitor's briefing, complete."""

    kind: Literal["briefing"] = "briefing"
    briefing: Briefing


class RunFinished(_Event):
    kind: Literal["finished"] = "finished"
    answer: AgentAnswer


StepEvent = Annotated[
    RunStarted
    | Working
    | Thinking
    | FramesFetched
    | OperationCalled
    | OperationAnswered
    | Spending
    | AnswerProposed
    | Checked
    | Graded
    | Refined
    | StepFailed
    | Thought
    | Briefed
    | RunFinished,
    Field(discriminator="kind"),
]
Listener = Callable[[StepEvent], None]
