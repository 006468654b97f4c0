"""`find_connection`: what two people are to each other, and the shortest paths between them."""

from __future__ import annotations

from pydantic import Field

from vidence.errors import OpRetry
from vidence.knowledge.graph.paths import find_paths, other_end
from vidence.knowledge.reader import StoryReader
from vidence.schema.story import StoryEntity
from vidence.tools.story.connection import relations_between
from vidence.tools.story.shapes import PersonTold, RelationTold, tell_person, tell_relation
from vidence.tools.story.tool import StoryRequest, StoryResult, StoryTool

__all__ = ["TOOL"]

_STATEMENTS = 3
_PATHS = 3


class ConnectionRequest(StoryRequest):
    entity1: str = Field(min_length=1, description="A name of the story.")
    entity2: str = Field(min_length=1, description="Another name of the story.")


class ConnectionResult(StoryResult):
    entity1: PersonTold
    entity2: PersonTold
    statements: tuple[RelationTold, ...] = Field(
        description="What the first is to the second, best proven first."
    )
    paths: tuple[tuple[RelationTold, ...], ...] = Field(
        default=(), description="Where nothing connects the two directly: chains of relations between them."
    )


def run(reader: StoryReader, request: ConnectionRequest) -> ConnectionResult:
    first, second = reader.resolve(request.entity1), reader.resolve(request.entity2)
    if first.entity_id == second.entity_id:
        raise OpRetry(
            f"{request.entity1!r} and {request.entity2!r} are the same: {first.name}. Name another."
        )
    found = relations_between(reader, first, second)
    statements = [tell_relation(reader, one, first.entity_id) for one in found[:_STATEMENTS]]
    return ConnectionResult(
        entity1=tell_person(first),
        entity2=tell_person(second),
        statements=tuple(statements),
        paths=() if any(one.is_stated for one in found) else tuple(_paths(reader, first, second)),
    )


def _paths(reader: StoryReader, first: StoryEntity, second: StoryEntity) -> list[tuple[RelationTold, ...]]:
    paths = []
    for path in find_paths(reader.graph, reader.story, first.entity_id, second.entity_id, limit=_PATHS):
        at, steps = first.entity_id, []
        for relation in path:
            kept = relation.model_copy(update={"quotes": relation.quotes[:1]})
            steps.append(tell_relation(reader, kept, at))
            at = other_end(relation, at)
        paths.append(tuple(steps))
    return paths


TOOL = StoryTool(
    name="find_connection",
    purpose="Find what two people of the story are to each other, or how they are connected through others.",
    request=ConnectionRequest,
    result=ConnectionResult,
    run=run,
    example={"entity1": "焦大", "entity2": "林黛玉"},
)
