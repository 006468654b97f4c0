"""API-11 `query_entity_state`: a question about one entity at one time."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, cast

import cv2
import numpy as np
from pydantic import Field

from vidence.language.categories import categories
from vidence.language.question import StateQuestion, read_question
from vidence.media import VideoReader
from vidence.models.protocols import Captioner
from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Request, Result
from vidence.prompts import load_template
from vidence.queries.activity.atomic import ATOMIC_ID, atomic_activities
from vidence.queries.activity.people import burst_times, follow_people
from vidence.queries.entities.answers import CANNOT_TELL, StateAnswer, answer_state
from vidence.queries.entities.facts import EntityFacts, has_pose, measure_entity
from vidence.queries.entities.identities import Identity, entity_box, find_entity
from vidence.queries.entities.trajectory import camera_offset, describe_trajectory
from vidence.queries.objects.frame import CLOSE_SIDE, FrameObjects
from vidence.schema.entities import Entity
from vidence.schema.observations import MotionSeen, NormalBox
from vidence.schema.perception import Box, Rgb
from vidence.schema.time import Seconds, TimeRange

__all__ = ["OPERATION", "QueryEntityStateRequest", "QueryEntityStateResult"]

_AROUND_S = 1.0
_SAME_IOU = 0.3
_ENOUGH = 0.5
"""A measured answer of at least this confidence is returned; others go to the vision model, if any."""
_CAPTIONED = 0.75
_CLOSER = 0.25


class QueryEntityStateRequest(Request):
    """Whom, when, and what to ask."""

    entity_id: str = Field(min_length=1, max_length=40, description="An id from register_entity.")
    timestamp: Seconds = Field(description="Time of the frame, in seconds.")
    query: Annotated[str, Field(min_length=1, max_length=400)] = Field(
        description="A question about the entity at that time: 'What is she holding?', "
        "'Is he sitting or standing?', '他穿什么颜色的衣服？'"
    )


class QueryEntityStateResult(Result):
    """The answer, in the language of the question; it says so when it cannot be told."""

    answer: str
    confidence: float = Field(description="Below 0.2 the answer is that it cannot be determined.")
    bbox: NormalBox = Field(description="Where the entity is in that frame.")
    timestamp: float = Field(description="Time of the frame that was used.")


def run(context: OpContext, request: QueryEntityStateRequest) -> QueryEntityStateResult:
    """Measure what the question asks for in that frame; ask the vision model about the rest."""
    time_s = context.check_time(request.video_id, request.timestamp)
    entity, identity = find_entity(context.store, request.video_id, request.entity_id)
    bbox, sure = entity_box(context.store, entity, identity, time_s)
    question = read_question(request.query).state
    with context.open(request.video_id) as reader:
        picture = next(reader.at([time_s]))
        image = picture.rgb(max_side=CLOSE_SIDE)
        facts = _facts(
            context, entity, Box(*bbox), sure, picture.time_s, image, worn=question.kind == "colour"
        )
        if question.kind in ("action", "motion"):
            facts = _in_motion(context, reader, entity, identity, facts, picture.time_s)
    told = answer_state(question, facts)
    if told.confidence < _ENOUGH and context.shelf.has("captions"):
        told = _by_captioner(context, question, facts, image)
    return QueryEntityStateResult(
        answer=told.text,
        confidence=told.confidence,
        bbox=facts.box.rounded(),
        timestamp=round(picture.time_s, 3),
    )


def _facts(
    context: OpContext,
    entity: Entity,
    box: Box,
    confidence: float,
    time_s: float,
    image: Rgb,
    *,
    worn: bool = False,
) -> EntityFacts:
    shelf = context.shelf
    frame = FrameObjects(time_s, image, shelf, worn=worn)
    pose = shelf.pose.estimate([image], [box])[0] if has_pose(entity.category, box) else None
    facts = measure_entity(frame, entity.category, box, confidence, pose=pose)
    for model_id in frame.models:
        context.used(model_id)
    return facts


def _in_motion(
    context: OpContext,
    reader: VideoReader,
    entity: Entity,
    identity: Identity,
    facts: EntityFacts,
    time_s: float,
) -> EntityFacts:
    """Add how the entity moves and its body action, measured over a second before and after."""
    span = TimeRange(start_time=max(0.0, time_s - _AROUND_S), end_time=time_s + _AROUND_S)
    shots = context.store.segments.load(entity.video_id, "fine")
    near = [one for one in identity.appearances(shots, within=span) if one.start_s <= time_s + _AROUND_S / 2]
    camera = camera_offset(context.store.observations.load(entity.video_id, "motion", MotionSeen))
    moves = describe_trajectory(near[0].points, aspect=facts.aspect, camera=camera) if near else None
    return replace(facts, moves=moves, acts=_acts(context, reader, facts, span, time_s))


def _acts(
    context: OpContext, reader: VideoReader, facts: EntityFacts, span: TimeRange, time_s: float
) -> str | None:
    if facts.category != "person":
        return None
    people = [
        person
        for burst in burst_times(span)
        for person in follow_people(
            reader.at([t for t in burst if t <= reader.info.duration_s]), context.shelf
        )
    ]
    mine = [
        person
        for person in people
        if any(
            abs(s.time_s - time_s) < _AROUND_S / 2 and s.box.iou(facts.box) >= _SAME_IOU
            for s in person.sightings
        )
    ]
    context.used(ATOMIC_ID)
    found = [one for one in atomic_activities(mine) if one.start_s <= time_s <= one.end_s + _AROUND_S / 4]
    return max(found, key=lambda one: one.confidence).label if found else None


def _by_captioner(context: OpContext, question: StateQuestion, facts: EntityFacts, image: Rgb) -> StateAnswer:
    """Send the vision model the frame with the entity marked, and a crop of the entity."""
    captioner = cast("Captioner", context.shelf.get("captions"))
    context.used(captioner.model_id)
    text = captioner.caption(
        [_marked(image, facts.box), _closer(image, facts.box)], prompt=_prompt(question, facts)
    )
    unknown = text.strip().lower().startswith(("cannot tell", "无法判断"))
    return StateAnswer(text.strip(), CANNOT_TELL if unknown else _CAPTIONED)


def _prompt(question: StateQuestion, facts: EntityFacts) -> str:
    name = facts.category
    if question.language == "zh":
        name = next((one.chinese for one in categories().values() if one.name == name), name)
    template = load_template("entity.state", question.language)
    return template.fill(category=name, question=question.text)


def _marked(image: Rgb, box: Box) -> Rgb:
    left, top, right, bottom = box.pixels(image.shape[1], image.shape[0])
    drawn = cv2.rectangle(image.copy(), (left, top), (right, bottom), (255, 0, 0), 3)
    return np.asarray(drawn, np.uint8)


def _closer(image: Rgb, box: Box) -> Rgb:
    grown = Box.from_corners(
        box.x - box.w * _CLOSER,
        box.y - box.h * _CLOSER,
        box.x + box.w * (1 + _CLOSER),
        box.y + box.h * (1 + _CLOSER),
    )
    return grown.crop(image)


OPERATION = Operation(
    name="query_entity_state",
    category="entity",
    purpose=(
        "Ask a question about one entity at one time: its clothing, posture, activity, what it holds or "
        "what is near it."
    ),
    request=QueryEntityStateRequest,
    result=QueryEntityStateResult,
    run=run,
    version=3,
    stages=("shots", "tracks"),
    also_reads=("motion",),
    capabilities=("objects", "pose", "captions", "worn"),
    notes=(
        "Measured in the frame itself: colours (of clothes or of an object), what a person wears where that"
        " is clear, posture, objects at the hands and nearby, body actions (walking, sitting, waving, …), "
        "motion, position and size in the frame, and the direction of the face. Other questions, and those "
        "without a reliable measurement, go to a vision model if one is configured (capability captions). "
        "Otherwise the answer says that it cannot be determined, with a confidence below 0.2. Nothing is "
        "guessed: gender, age, identity and mood are never inferred. The answer is in the language of the "
        "question, English or Chinese. If the entity is not visible at that time, the error says when it "
        "is."
    ),
    example={"entity_id": "ent_001", "timestamp": 1.0, "query": "What colour are the clothes?"},
    span=lambda request: TimeRange.moment(request.timestamp),
)
