"""What goes to and comes from a planner: the query's analysis, a tool's command, the final output."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from vidence.schema.agent import AnswerLanguage, OperationCall, VideoCard
from vidence.schema.evidence import Claim, EvidenceRecord
from vidence.schema.frozen import Frozen

__all__ = [
    "FINAL_OUTPUT",
    "CommandVariables",
    "ContentAnalysis",
    "ContentVariables",
    "FinalOutput",
    "PlanVariables",
    "QueryAnalysis",
    "RecalledNote",
    "ToolCard",
    "ToolCommand",
]

FINAL_OUTPUT = "final_output"
"""The tool a planner names when nothing more needs to be looked at."""


class ToolCard(Frozen):
    """A tool as a planner sees it."""

    name: str
    category: str
    description: str
    parameters: dict[str, Any] = Field(default_factory=dict)
    """Its arguments as a JSON Schema."""
    example: dict[str, Any] = Field(default_factory=dict)
    writes: bool = False
    """True when it changes what is remembered."""


class RecalledNote(Frozen):
    """One memory that was recalled for a query; something said before, never something seen now."""

    memory_id: str
    content: str
    memory_type: str = "observation"
    speaker: str | None = None
    said_at: float | None = None
    relevance: float = 0.0


class PlanVariables(Frozen):
    """Everything a planner knows when it chooses what to do next, and when it words the output."""

    question: str
    language: AnswerLanguage
    tools: tuple[ToolCard, ...] = ()
    videos: tuple[VideoCard, ...] = ()
    pictures: tuple[str, ...] = ()
    """What each picture shows in words, where something could look at it; "" where nothing could."""
    memories: tuple[RecalledNote, ...] = ()
    records: tuple[EvidenceRecord, ...] = ()
    failed_calls: tuple[tuple[OperationCall, str], ...] = ()
    steps_left: int = 0


class QueryAnalysis(Frozen):
    """A query taken apart, and the first thing to do about it."""

    concise_summary: str = ""
    required_skills: tuple[str, ...] = ()
    relevant_tools: tuple[str, ...] = ()
    additional_considerations: str = ""
    context: str = ""
    """What is known that the tool needs: the video, the span, what was found so far."""
    sub_goal: str
    tool_name: str


class CommandVariables(Frozen):
    """What is needed to turn a sub-goal into a tool's arguments."""

    plan: PlanVariables
    context: str
    sub_goal: str
    tool: ToolCard
    problem: str = ""
    """What was wrong with the arguments before these."""


class ToolCommand(Frozen):
    """Arguments for one tool; several sets make several calls."""

    explanation: str = ""
    calls: tuple[dict[str, Any], ...] = Field(min_length=1, max_length=100)


class FinalOutput(Frozen):
    """The answer, why, and what proves it."""

    answer: str
    explanation: str = ""
    claims: tuple[Claim, ...] = ()
    probability: float | None = Field(default=None, ge=0, le=1)
    cannot_tell: bool = False


class ContentVariables(Frozen):
    """A text to be analysed."""

    content: str
    language: AnswerLanguage
    today: str
    """The day relative dates count from, as YYYY-MM-DD."""


class ContentAnalysis(Frozen):
    """What a text is about; a field that is left out is filled without a model."""

    keywords: list[str] | None = None
    entities: list[str] | None = None
    times: list[dict[str, str]] | None = None
    """Each with `start` and `end` as YYYY-MM-DD."""
    topics: list[str] | None = None
    language: str | None = None
    importance: float | None = Field(default=None, ge=0, le=1)
    summary: str | None = None
