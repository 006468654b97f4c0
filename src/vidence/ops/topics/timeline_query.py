"""`timeline_query`: what was reported about a subject, day by day."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from pydantic import Field

from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Result, TopicRequest
from vidence.ops.topics.memory import topics_book
from vidence.ops.topics.memory_search import RememberedStatement, remembered

__all__ = ["OPERATION", "TimelineQueryRequest", "TimelineQueryResult"]


class TimelineQueryRequest(TopicRequest):
    """Whose timeline, and how far back."""

    subject: str = Field(min_length=1, max_length=300, description="The subject, as a monitor named it.")
    days: int = Field(default=30, ge=1, le=36_500, description="How many days back from today.")
    limit: int = Field(default=100, ge=1, le=1000, description="At most this many entries.")


class TimelineQueryResult(Result):
    """The statements of the period, the oldest first."""

    subject: str
    since: date
    entries: list[RememberedStatement]


def run(context: OpContext, request: TimelineQueryRequest) -> TimelineQueryResult:
    """List what was reported about a subject in the last days."""
    since = datetime.now(UTC).date() - timedelta(days=request.days)
    wanted = request.subject.casefold()
    book = topics_book(context)
    found = [
        remembered(memory)
        for memory in book.memories.all(book.scope)
        if wanted in f"{memory.subject or ''}\n{memory.content}".casefold()
    ]
    dated = sorted(
        (one for one in found if one.day is not None and one.day >= since),
        key=lambda one: (one.day or date.min, one.text),
    )
    return TimelineQueryResult(subject=request.subject, since=since, entries=dated[: request.limit])


OPERATION = Operation(
    name="timeline_query",
    category="topic",
    purpose="List what was reported about a subject in the last days, in order of time.",
    request=TimelineQueryRequest,
    result=TimelineQueryResult,
    run=run,
    stateful=True,
    example={"subject": "DeepSeek", "days": 90},
    notes="A statement is dated by its source, else by the day it was reported.",
)
