"""`lookup_knowledge`: who or what an entity of the story is."""

from __future__ import annotations

from pydantic import Field

from vidence.knowledge.reader import StoryReader
from vidence.schema.story import Quote
from vidence.tools.story.connection import relations_of
from vidence.tools.story.describe import describing_quotes
from vidence.tools.story.shapes import PersonTold, RelationTold, tell_person
from vidence.tools.story.tool import StoryRequest, StoryResult, StoryTool

__all__ = ["TOOL"]

_RELATIONS = 8


class LookupRequest(StoryRequest):
    entity: str = Field(min_length=1, description="A name of the story: a person, place or organisation.")


class LookupResult(StoryResult):
    entity: PersonTold
    descriptions: tuple[Quote, ...] = Field(description="Sentences that introduce or describe the entity.")
    relations: tuple[RelationTold, ...] = ()


def run(reader: StoryReader, request: LookupRequest) -> LookupResult:
    entity = reader.resolve(request.entity)
    return LookupResult(
        entity=tell_person(entity),
        descriptions=tuple(describing_quotes(reader, entity)),
        relations=tuple(relations_of(reader, entity, limit=_RELATIONS)),
    )


TOOL = StoryTool(
    name="lookup_knowledge",
    purpose="Look up who or what somebody or something in the story is. For: who is X?",
    request=LookupRequest,
    result=LookupResult,
    run=run,
    example={"entity": "林黛玉"},
)
