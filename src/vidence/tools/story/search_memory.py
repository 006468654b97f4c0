"""`search_memory`: the passages of the story that answer a query."""

from __future__ import annotations

from pydantic import Field

from vidence.knowledge.reader import StoryReader
from vidence.schema.story import Quote
from vidence.tools.story.tool import StoryRequest, StoryResult, StoryTool

__all__ = ["TOOL"]


_SPEECHES = 4


class SearchRequest(StoryRequest):
    query: str = Field(min_length=1, description="Keywords or a question, in the language of the story.")
    limit: int = Field(default=3, ge=1, le=20, description="How many passages.")


class SearchResult(StoryResult):
    passages: tuple[Quote, ...]
    speeches: tuple[Quote, ...] = Field(default=(), description="What is said in them, and by whom.")
    answerable: float = Field(description="Probability that one of the passages answers the query.")
    absent: tuple[str, ...] = Field(default=(), description="Words of the query that the story never has.")


def run(reader: StoryReader, request: SearchRequest) -> SearchResult:
    found, answerable = reader.search(request.query, request.limit)
    return SearchResult(
        passages=tuple(reader.quote(one.head.number, one.passage.start, one.passage.end) for one in found),
        speeches=tuple(
            speech
            for one in found
            for speech in reader.speeches(one.head.number, one.passage.start, one.passage.end)[:_SPEECHES]
        ),
        answerable=round(answerable, 3),
        absent=reader.absent(request.query),
    )


TOOL = StoryTool(
    name="search_memory",
    purpose="Search the text of the story for passages. For: what was said, what happened, details.",
    request=SearchRequest,
    result=SearchResult,
    run=run,
    example={"query": "黛玉葬花", "limit": 3},
)
