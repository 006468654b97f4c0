"""`memory_search`: find again what monitors reported, and where it changed."""

from __future__ import annotations

from datetime import date

from pydantic import Field

from vidence.intel.changes import same_fact_changed
from vidence.language.dates import to_date
from vidence.memory.relevance import LEAST_RELEVANT, NOTHING_RELEVANT
from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Result, TopicRequest
from vidence.ops.topics.memory import topics_book
from vidence.schema.frozen import Frozen
from vidence.schema.memory import Memory

__all__ = ["OPERATION", "MemorySearchRequest", "MemorySearchResult", "RememberedStatement"]


class MemorySearchRequest(TopicRequest):
    """What to recall."""

    query: str = Field(min_length=1, max_length=1000, description="What to search for, in plain words.")
    subject: str | None = Field(default=None, description="Only what was reported about this subject.")
    detect_changes: bool = Field(
        default=False, description="Also pair statements that say the same with other figures."
    )
    limit: int = Field(default=10, ge=1, le=100, description="At most this many statements.")


class RememberedStatement(Frozen):
    """One statement of an earlier briefing."""

    text: str
    subject: str
    source: str = Field(description="Address of the page it rests on.")
    day: date | None = Field(description="When its source was published, else when it was reported.")
    relevance: float = Field(default=0.0, description="Probability that it answers the query, 0 to 1.")


class StatementChange(Frozen):
    """Two statements about the same thing with other figures."""

    before: RememberedStatement
    after: RememberedStatement


class MemorySearchResult(Result):
    """The statements that fit, the most relevant first."""

    query: str
    statements: list[RememberedStatement]
    changes: list[StatementChange] = Field(description="Empty unless `detect_changes` was asked for.")


def run(context: OpContext, request: MemorySearchRequest) -> MemorySearchResult:
    """Recall what fits; nothing when nothing does."""
    wanted = (request.subject or "").casefold()

    def keep(memory: Memory) -> bool:
        return not wanted or wanted in (memory.subject or "").casefold()

    recalled = topics_book(context).recall(request.query, request.limit, keep=keep)
    kept = [
        remembered(memory, relevance)
        for memory, relevance in recalled.memories
        if recalled.found.answerable >= NOTHING_RELEVANT and relevance >= LEAST_RELEVANT
    ]
    return MemorySearchResult(
        query=request.query, statements=kept, changes=_changes(kept) if request.detect_changes else []
    )


def remembered(memory: Memory, relevance: float = 0.0) -> RememberedStatement:
    """Return a memory of topics as a statement."""
    return RememberedStatement(
        text=memory.content,
        subject=memory.subject or "",
        source=memory.source,
        day=to_date(memory.said_at) if memory.said_at is not None else None,
        relevance=round(relevance, 3),
    )


def _changes(statements: list[RememberedStatement]) -> list[StatementChange]:
    ordered = sorted(statements, key=lambda one: (one.day or date.min, one.text))
    return [
        StatementChange(before=before, after=after)
        for place, before in enumerate(ordered)
        for after in ordered[place + 1 :]
        if same_fact_changed(before.text, after.text)
    ]


OPERATION = Operation(
    name="memory_search",
    category="topic",
    purpose="Search what earlier briefings reported, and find where figures changed.",
    request=MemorySearchRequest,
    result=MemorySearchResult,
    run=run,
    stateful=True,
    example={"query": "price of the API"},
    notes="An empty list means that no earlier briefing says anything about it.",
)
