"""`track_journey`: how somebody's relations, or one of them, change over the chapters."""

from __future__ import annotations

from pydantic import Field

from vidence.knowledge.reader import StoryReader
from vidence.schema.story import StoryEntity
from vidence.tools.story.connection import relations_between, relations_of
from vidence.tools.story.shapes import (
    EventTold,
    PersonTold,
    RelationTold,
    tell_event,
    tell_person,
    tell_relation,
)
from vidence.tools.story.tool import StoryRequest, StoryResult, StoryTool

__all__ = ["TOOL"]

_RELATIONS = 6
_STAGES = 10


class JourneyRequest(StoryRequest):
    entity: str = Field(min_length=1, description="A name of the story.")
    target: str | None = Field(default=None, description="Follow the relation to this person only.")


class JourneyResult(StoryResult):
    entity: PersonTold
    target: PersonTold | None = None
    relations: tuple[RelationTold, ...] = ()
    stages: tuple[EventTold, ...] = Field(default=(), description="Events on the way, in order.")


def run(reader: StoryReader, request: JourneyRequest) -> JourneyResult:
    entity = reader.resolve(request.entity)
    target = reader.resolve(request.target) if request.target else None
    if target is None:
        relations = tuple(relations_of(reader, entity, limit=_RELATIONS))
    else:
        rows = relations_between(reader, entity, target)[:_RELATIONS]
        relations = tuple(tell_relation(reader, one, entity.entity_id) for one in rows)
    return JourneyResult(
        entity=tell_person(entity),
        target=tell_person(target) if target else None,
        relations=tuple(sorted(relations, key=lambda one: one.first_chapter)),
        stages=tuple(_stages(reader, entity, target)),
    )


def _stages(reader: StoryReader, entity: StoryEntity, target: StoryEntity | None) -> list[EventTold]:
    """Return the weightiest events, spread over the chapters, in order."""
    events = reader.graph.events(reader.story, entity.entity_id)
    if target is not None:
        events = [one for one in events if target.entity_id in one.people]
    if not events:
        return []
    size = max(1, -(-len(events) // _STAGES))
    parts = [events[at : at + size] for at in range(0, len(events), size)]
    return [tell_event(reader, max(part, key=lambda one: (one.weight, -one.order))) for part in parts]


TOOL = StoryTool(
    name="track_journey",
    purpose="Follow somebody through the chapters: relations with their validity, and the events on the way.",
    request=JourneyRequest,
    result=JourneyResult,
    run=run,
    example={"entity": "林黛玉", "target": "贾宝玉"},
)
