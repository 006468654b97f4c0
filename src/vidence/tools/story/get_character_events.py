"""`get_character_events`: the major events that somebody takes part in."""

from __future__ import annotations

from pydantic import Field

from vidence.knowledge.reader import StoryReader
from vidence.tools.story.shapes import EventTold, PersonTold, tell_event, tell_person
from vidence.tools.story.tool import StoryRequest, StoryResult, StoryTool

__all__ = ["TOOL"]

_EVENTS = 12


class EventsRequest(StoryRequest):
    entity: str = Field(min_length=1, description="A name of the story.")
    limit: int = Field(
        default=_EVENTS, ge=1, le=50, description="How many events, the weightiest first chosen."
    )


class EventsResult(StoryResult):
    entity: PersonTold
    events: tuple[EventTold, ...] = Field(description="In the order of the narration.")


def run(reader: StoryReader, request: EventsRequest) -> EventsResult:
    entity = reader.resolve(request.entity)
    events = reader.graph.events(reader.story, entity.entity_id)
    # An event of few people tells more of each of them.
    best = sorted(events, key=lambda one: (-one.weight / (1 + 0.3 * len(one.people)), one.order))
    chosen = sorted(best[: request.limit], key=lambda one: one.order)
    return EventsResult(entity=tell_person(entity), events=tuple(tell_event(reader, one) for one in chosen))


TOOL = StoryTool(
    name="get_character_events",
    purpose="List the major events of somebody, with chapter and quotation. For: how did X come to do Y?",
    request=EventsRequest,
    result=EventsResult,
    run=run,
    example={"entity": "林黛玉"},
)
