"""API-12 `spatial_relation`: how two entities stand to one another at a time."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from vidence.errors import OpRetry
from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Request, Result
from vidence.queries.entities.gestures import is_hugging, looks_at
from vidence.queries.entities.identities import Identity, entity_box, find_entity
from vidence.queries.entities.spatial import (
    Distance,
    Interaction,
    direction_of,
    distance_class,
    interaction_of,
    normal_distance,
    relative_size,
)
from vidence.schema.frozen import Frozen
from vidence.schema.observations import NormalBox
from vidence.schema.perception import Box
from vidence.schema.time import Seconds, TimeRange

__all__ = ["OPERATION", "PlacedEntities", "Relations", "SpatialRelationRequest", "SpatialRelationResult"]

RelationType = Literal["direction", "distance", "interaction"]
_AROUND_S = (-0.6, -0.3, 0.3, 0.6)
_PERSON = "person"
_SIDE = 640
_POSED = 0.7
"""The confidence in what one look at the joints shows."""
_GAZE_UNSEEN = "Whether entity_1 looks at entity_2 cannot be told: its face is not seen from the side."


def _is_none(value: Any) -> bool:
    return value is None


class SpatialRelationRequest(Request):
    """Which two, when, and what about them."""

    entity_id_1: str = Field(min_length=1, max_length=40, description="An id from register_entity.")
    entity_id_2: str = Field(min_length=1, max_length=40, description="The other entity's id.")
    timestamp: Seconds = Field(description="Time to compare them at, in seconds.")
    relation_type: RelationType | None = Field(
        default=None, description="Only this kind of relation; null for all."
    )


class PlacedEntity(Frozen):
    """One of the two entities, with its position."""

    entity_id: str
    bbox: NormalBox


class PlacedEntities(Frozen):
    """Both entities, in the order of the request."""

    entity_1: PlacedEntity
    entity_2: PlacedEntity


class Relations(Frozen):
    """The requested relations only."""

    direction: str | None = Field(default=None, exclude_if=_is_none, description="As seen in the picture.")
    distance: Distance | None = Field(default=None, exclude_if=_is_none)
    distance_normalized: float | None = Field(
        default=None,
        exclude_if=_is_none,
        description="0 to 1: 0 touching, 0.5 when the gap equals their mean size.",
    )
    interaction: Interaction | None = Field(default=None, exclude_if=_is_none)
    relative_size: str | None = Field(default=None, exclude_if=_is_none)


class SpatialRelationResult(Result):
    """Where both are and how they stand to one another."""

    timestamp: float
    entities: PlacedEntities
    relations: Relations
    confidence: float
    note: str | None = Field(
        default=None,
        exclude_if=_is_none,
        description="Present only when part of the interaction cannot be told: says which.",
    )


def run(context: OpContext, request: SpatialRelationRequest) -> SpatialRelationResult:
    """Answer from the geometry of both tracks around that time."""
    if request.entity_id_1 == request.entity_id_2:
        raise OpRetry(
            f"entity_id_1 and entity_id_2 are both {request.entity_id_1}. Give two different entities."
        )
    time_s = context.check_time(request.video_id, request.timestamp)
    first, who_1 = find_entity(context.store, request.video_id, request.entity_id_1)
    second, who_2 = find_entity(context.store, request.video_id, request.entity_id_2)
    box_1, sure_1 = entity_box(context.store, first, who_1, time_s)
    box_2, sure_2 = entity_box(context.store, second, who_2, time_s)
    video = context.video(request.video_id).info.video
    aspect, asked = video.width / video.height, request.relation_type
    things = (first.category, Box(*box_1)), (second.category, Box(*box_2))
    interaction, sure = interaction_of(*things, _moments(who_1, who_2, time_s))
    note = None
    if asked in (None, "interaction"):
        interaction, sure, note = _gestures(context, request, things, (interaction, sure), aspect)
    relations = _relations(Box(*box_1), Box(*box_2), interaction, aspect)
    confidence = min(sure_1, sure_2) ** 0.5 * (sure if asked in (None, "interaction") else 1.0)
    return SpatialRelationResult(
        timestamp=round(time_s, 3),
        entities=PlacedEntities(
            entity_1=PlacedEntity(entity_id=first.entity_id, bbox=box_1),
            entity_2=PlacedEntity(entity_id=second.entity_id, bbox=box_2),
        ),
        relations=_only(relations, asked),
        confidence=round(confidence, 3),
        note=note,
    )


def _gestures(
    context: OpContext,
    request: SpatialRelationRequest,
    things: tuple[tuple[str, Box], tuple[str, Box]],
    by_boxes: tuple[Interaction, float],
    aspect: float,
) -> tuple[Interaction, float, str | None]:
    """Return the interaction with what the poses of people add to it, and a note on what they do not show."""
    (kind_1, box_1), (_, box_2) = things
    if kind_1 != _PERSON:
        return *by_boxes, None
    time_s = context.check_time(request.video_id, request.timestamp)
    with context.open(request.video_id) as reader:
        image = next(reader.at([time_s])).rgb(max_side=_SIDE)
    pose = context.shelf.pose
    context.used(pose.model_id)
    boxes = [box for kind, box in things if kind == _PERSON]
    poses = pose.estimate([image] * len(boxes), boxes)
    interaction, sure = by_boxes
    if len(poses) == 2 and box_1.overlap(box_2) > 0 and is_hugging(poses[0], poses[1], aspect=aspect):
        return "hugging", _POSED, None
    if interaction != "no_interaction":
        return interaction, sure, None
    looks = looks_at(poses[0], box_2, aspect=aspect)
    if looks is None:
        return interaction, sure, _GAZE_UNSEEN
    return ("looking_at", _POSED, None) if looks else (interaction, sure, None)


def _moments(first: Identity, second: Identity, time_s: float) -> list[tuple[Box, Box]]:
    found = []
    for step in _AROUND_S:
        a = first.box_at(time_s + step, slack_s=0.0)
        b = second.box_at(time_s + step, slack_s=0.0)
        if a and b:
            found.append((Box(*a[0]), Box(*b[0])))
    return found


def _relations(first: Box, second: Box, interaction: Interaction, aspect: float) -> Relations:
    apart = normal_distance(first, second, aspect=aspect)
    return Relations(
        direction=direction_of(first, second, aspect=aspect),
        distance=distance_class(apart),
        distance_normalized=round(apart, 3),
        interaction=interaction,
        relative_size=relative_size(first, second),
    )


_KEPT: dict[RelationType, set[str]] = {
    "direction": {"direction"},
    "distance": {"distance", "distance_normalized"},
    "interaction": {"interaction"},
}


def _only(relations: Relations, asked: RelationType | None) -> Relations:
    if asked is None:
        return relations
    return Relations.model_validate({name: getattr(relations, name) for name in _KEPT[asked]})


OPERATION = Operation(
    name="spatial_relation",
    category="entity",
    purpose="Get the spatial relation of two entities at one time: direction, distance, interaction, size.",
    request=SpatialRelationRequest,
    result=SpatialRelationResult,
    run=run,
    stages=("shots", "tracks"),
    capabilities=("pose",),
    version=2,
    notes=(
        "Directions are as seen in the picture, not from the entities' own view. `distance_normalized` is "
        "the gap between the boxes divided by itself plus the mean size of the two, so that it means the "
        "same near the camera and far from it: 0 touching, below 0.26 close, below 0.55 medium, else far. "
        "`interaction` is one of no_interaction, touching, holding, riding, sitting_on, from the boxes at "
        "and around that time, or hugging and looking_at, from the joints of people in that frame. Boxes "
        "that overlap only because one entity stands behind the other do not count as touching, where the "
        "position of the feet shows it. entity_1 is looking_at entity_2 when its face is seen from the side "
        "and turned towards it; where the face is not seen so, `note` says that it cannot be told."
    ),
    example={"entity_id_1": "ent_001", "entity_id_2": "ent_002", "timestamp": 1.0},
    span=lambda request: TimeRange.moment(request.timestamp),
)
