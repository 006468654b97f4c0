"""API-9 `register_entity`: give something in a video a lasting name."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from pydantic import Field, model_validator

from vidence.errors import OpRetry
from vidence.media import DecodedFrame
from vidence.models.vision.embedding import perceptual_hash
from vidence.ops.context import OpContext
from vidence.ops.detect_objects import (
    DetectedObject,
    DetectObjectsRequest,
    detect_in,
    earlier_objects,
    same_object,
    times_of,
)
from vidence.ops.operation import Operation, Request, Result
from vidence.queries.entities.identities import Identity, find_identity, identity_of, load_identities
from vidence.schema.entities import Entity
from vidence.schema.observations import NormalBox
from vidence.schema.perception import Box
from vidence.schema.time import Seconds, TimeRange

__all__ = ["OPERATION", "RegisterEntityRequest", "RegisterEntityResult"]

_THRESHOLD = 0.25
_UNCHECKED = 0.85
"""Factor on the confidence when some words of the description could not be checked."""
_SAME_IOU = 0.7
_SIDE = 1600
_LOOKS = ("clothing_color", "lower_clothing_color", "color", "posture", "size")


class RegisterEntityRequest(Request):
    """When it is seen, and which of the things then."""

    initial_timestamp: Seconds = Field(
        description="A time at which the entity is clearly visible, in seconds."
    )
    description: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        default=None, description="What it looks like: 'woman in red apron', 'the dog', '左边的男人'."
    )
    object_id: Annotated[str, Field(min_length=1, max_length=40)] | None = Field(
        default=None,
        description="An object_id from detect_objects at exactly this time; no search is then made.",
    )

    @model_validator(mode="after")
    def _something(self) -> RegisterEntityRequest:
        if self.description is None and self.object_id is None:
            raise ValueError("give a description, or an object_id from detect_objects at this time")
        return self


class RegisterEntityResult(Result):
    """The name, and what it was given to."""

    entity_id: str = Field(description="Permanent id within the video; other operations accept it.")
    matched_bbox: NormalBox
    confidence: float
    visual_signature: str = Field(description="What it looks like, in short; for internal use.")


def run(context: OpContext, request: RegisterEntityRequest) -> RegisterEntityResult:
    """Find the object in that frame and name it; an object that already has a name keeps it."""
    time_s = context.check_time(request.video_id, request.initial_timestamp, name="initial_timestamp")
    with context.open(request.video_id) as reader:
        picture = next(reader.at([time_s]))
    found, confidence = (
        _pointed_at(context, request, picture) if request.object_id else _described(context, request, picture)
    )
    signature = _signature(found, picture)
    identities = load_identities(context.store, request.video_id)
    identity = find_identity(identities, found.category, picture.time_s, found.bbox)
    entity = _known(context, request.video_id, identity, identities, picture.time_s, found)
    if entity is None:
        entity = context.store.entities.add(
            request.video_id,
            lambda entity_id: Entity(
                entity_id=entity_id,
                video_id=request.video_id,
                description=request.description or found.category,
                category=found.category,
                timestamp=round(picture.time_s, 4),
                bbox=found.bbox,
                confidence=confidence,
                signature=signature,
            ),
        )
    return RegisterEntityResult(
        entity_id=entity.entity_id, matched_bbox=found.bbox, confidence=confidence, visual_signature=signature
    )


def _pointed_at(
    context: OpContext, request: RegisterEntityRequest, picture: DecodedFrame
) -> tuple[DetectedObject, float]:
    """Return the object of this frame that has the id; an id of none, or of several, is refused."""
    object_id, time_s = request.object_id or "", round(picture.time_s, 3)
    meant = [one for one in earlier_objects(context, request.video_id, time_s) if one.object_id == object_id]
    if not meant:
        raise OpRetry(_unknown_object(context, request))
    found = meant[0]
    others = [one for one in meant if not same_object(Box(*one.bbox), Box(*found.bbox))]
    if others:
        boxes = " or ".join(f"the {one.category} at {list(one.bbox)}" for one in (found, others[0]))
        raise OpRetry(
            f"{object_id!r} at {request.initial_timestamp:g} s is ambiguous: it may be {boxes}. Call "
            "detect_objects at this time once more and use the id it gives, or describe the object."
        )
    return found, found.confidence


def _unknown_object(context: OpContext, request: RegisterEntityRequest) -> str:
    object_id, asked_s = request.object_id or "", request.initial_timestamp
    times = times_of(context, request.video_id, object_id)
    where = f"{object_id} is known from {', '.join(f'{t:g} s' for t in times[:5])}" if times else (
        f"no result of detect_objects in this video has {object_id}"
    )  # fmt: skip
    return (
        f"detect_objects gave no {object_id!r} at {asked_s:g} s: {where}. An object_id holds for its own "
        "frame only: give the timestamp it came from, or call detect_objects at this one."
    )


def _described(
    context: OpContext, request: RegisterEntityRequest, picture: DecodedFrame
) -> tuple[DetectedObject, float]:
    look = DetectObjectsRequest(
        video_id=request.video_id,
        timestamp=request.initial_timestamp,
        query=request.description,
        confidence_threshold=_THRESHOLD,
    )
    told = detect_in(context, look, picture)
    if not told.objects:
        raise OpRetry(_not_found(context, request, picture, told.note))
    best = told.objects[0]
    return best, round(best.confidence * (_UNCHECKED if told.note else 1.0), 4)


def _not_found(
    context: OpContext, request: RegisterEntityRequest, picture: DecodedFrame, note: str | None
) -> str:
    everything = DetectObjectsRequest(
        video_id=request.video_id, timestamp=request.initial_timestamp, confidence_threshold=_THRESHOLD
    )
    seen = detect_in(context, everything, picture).objects
    names = Counter(_worded(one) for one in seen)
    listed = ", ".join(f"{name} ×{count}" if count > 1 else name for name, count in names.most_common(8))
    hint = f" {note}" if note else ""
    return (
        f"Nothing that fits {request.description!r} was found at {request.initial_timestamp:g} s.{hint} "
        f"Seen there: {listed or 'no object the detector knows'}. "
        "Describe one of these, give its object_id from detect_objects, or try another time."
    )


def _worded(one: DetectedObject) -> str:
    colour = one.attributes.get("clothing_color") or one.attributes.get("color")
    return f"{one.category} ({colour})" if colour else one.category


def _known(
    context: OpContext,
    video_id: str,
    identity: Identity | None,
    identities: list[Identity],
    time_s: float,
    found: DetectedObject,
) -> Entity | None:
    """Return the entity that is already registered for the same object."""
    for entity in context.store.entities.all(video_id):
        if identity is not None:
            if identity_of(entity, identities).identity_id == identity.identity_id:
                return entity
        elif abs(entity.timestamp - time_s) < 0.001 and Box(*entity.bbox).iou(Box(*found.bbox)) >= _SAME_IOU:
            return entity
    return None


def _signature(found: DetectedObject, picture: DecodedFrame) -> str:
    looks = [found.attributes[name].replace(" and ", "/") for name in _LOOKS if name in found.attributes]
    crop = Box(*found.bbox).crop(picture.rgb(max_side=_SIDE))
    return ":".join([found.category, *looks, f"{perceptual_hash(crop):016x}"])


OPERATION = Operation(
    name="register_entity",
    category="entity",
    purpose=(
        "Give a person or object a permanent entity_id, found by a description or by an object_id of "
        "detect_objects, so that other operations can track and query it."
    ),
    request=RegisterEntityRequest,
    result=RegisterEntityResult,
    run=run,
    stages=("tracks",),
    capabilities=("objects", "pose", "open_objects"),
    stateful=True,
    notes=(
        "The description is parsed like `query` of detect_objects, in English or Chinese: category, "
        "colours, clothing, position, size, posture and neighbouring objects. Words that cannot be checked "
        "(gender, age) lower the confidence and decide nothing. With `object_id` the description may be "
        "left out. Ids count from ent_001 within a video, are permanent and are never reused. Registering "
        "an entity that already has an id returns that id. If nothing matches, the error lists what was "
        "detected instead."
    ),
    example={"initial_timestamp": 1.0, "description": "the person"},
    span=lambda request: TimeRange.moment(request.initial_timestamp),
)
