"""`platform_search`: search the sources of a monitor together."""

from __future__ import annotations

from datetime import date

from pydantic import Field

from vidence.intel.library import DateRange
from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Result, TopicRequest
from vidence.schema.frozen import Frozen
from vidence.schema.topics import FailedSource, FoundPage

__all__ = ["OPERATION", "DayRange", "PlatformSearchRequest", "PlatformSearchResult"]


class DayRange(Frozen):
    """Days, both included; an open end is left out."""

    since: date | None = Field(default=None, description="The first day, as YYYY-MM-DD.")
    until: date | None = Field(default=None, description="The last day, as YYYY-MM-DD.")


class PlatformSearchRequest(TopicRequest):
    """What to look for, where, and of which days."""

    query: str = Field(min_length=1, max_length=1000, description="What to search for, in plain words.")
    platforms: list[str] | None = Field(
        default=None, description="Only these platforms or sources; all of them when left out."
    )
    time_range: DayRange | None = Field(
        default=None, description="Only pages of these days; pages without a date are always in range."
    )
    limit: int = Field(default=10, ge=1, le=100, description="At most this many pages.")


class PlatformSearchResult(Result):
    """The pages found, the best first."""

    query: str
    results: list[FoundPage]
    searched: list[str] = Field(description="The sources that were searched.")
    failed: list[FailedSource] = Field(description="Sources and files that could not be read, and why.")


def run(context: OpContext, request: PlatformSearchRequest) -> PlatformSearchResult:
    """Search the sources; one that fails is named in the result."""
    days = DateRange(request.time_range.since, request.time_range.until) if request.time_range else None
    found = context.topic_sources.search(
        request.query, platforms=request.platforms, days=days, limit=request.limit
    )
    return PlatformSearchResult(
        query=request.query,
        results=list(found.found),
        searched=list(found.sources),
        failed=list(found.failed),
    )


OPERATION = Operation(
    name="platform_search",
    category="topic",
    purpose="Search folders, feeds, archives, videos and search services for pages about something.",
    request=PlatformSearchRequest,
    result=PlatformSearchResult,
    run=run,
    stateful=True,
    example={"query": "DeepSeek R1 release"},
    notes="A source that fails is listed in `failed`; the others are searched all the same.",
)
