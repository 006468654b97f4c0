"""API-10 `track_entity`: when an entity is in the picture, and how it moves."""

from __future__ import annotations

from itertools import pairwise

from pydantic import Field

from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Request, Result
from vidence.queries.entities.identities import Appearance, find_entity
from vidence.queries.entities.trajectory import CameraOffset, average_box, camera_offset, describe_trajectory
from vidence.schema.frozen import Frozen
from vidence.schema.observations import MotionSeen, NormalBox
from vidence.schema.time import TimeRange

__all__ = ["OPERATION", "EntityAppearance", "TrackEntityRequest", "TrackEntityResult", "TrackSummary"]


_CUT_GAP_S = 0.7
"""A gap this short across a cut is only the sampling interval, not a disappearance."""


class TrackEntityRequest(Request):
    """Whom to follow, and over which stretch."""

    entity_id: str = Field(min_length=1, max_length=40, description="An id from register_entity.")
    time_range: TimeRange | None = Field(
        default=None, description="Only this span; null for the whole video."
    )


class EntityAppearance(Frozen):
    """One continuous span of visibility within one shot."""

    appearance_id: str
    start_time: float
    end_time: float
    segment_id: str = Field(description="The shot that contains it.")
    duration: float
    trajectory_summary: str = Field(
        description="stationary in center / on the left / on the right, moving left to right, moving right "
        "to left, moving top to bottom, moving bottom to top, approaching camera, moving away from camera, "
        "circular motion or erratic motion."
    )
    avg_bbox: NormalBox


class DisappearancePeriod(Frozen):
    """A span between two appearances."""

    start_time: float
    end_time: float
    duration: float


class TrackSummary(Frozen):
    """All appearances together."""

    total_appearances: int
    total_duration: float
    first_appearance: float | None
    last_appearance: float | None = Field(description="When it is seen last.")
    disappearance_periods: list[DisappearancePeriod]


class TrackEntityResult(Result):
    """The appearances in order; none when the entity is not seen in the stretch asked for."""

    entity_id: str
    appearances: list[EntityAppearance]
    summary: TrackSummary


def run(context: OpContext, request: TrackEntityRequest) -> TrackEntityResult:
    """Answer from the tracks of the index."""
    entity, identity = find_entity(context.store, request.video_id, request.entity_id)
    asked = request.time_range
    within = asked and context.check_span(request.video_id, asked.start_time, asked.end_time)
    shots = context.store.segments.load(request.video_id, "fine")
    found = identity.appearances(shots, within=within)
    video = context.video(request.video_id).info.video
    camera = camera_offset(context.store.observations.load(request.video_id, "motion", MotionSeen))
    appearances = [
        _appearance(number, one, video.width / video.height, camera) for number, one in enumerate(found, 1)
    ]
    return TrackEntityResult(
        entity_id=entity.entity_id, appearances=appearances, summary=_summary(appearances)
    )


def _appearance(number: int, one: Appearance, aspect: float, camera: CameraOffset) -> EntityAppearance:
    start, end = round(one.start_s, 3), round(one.end_s, 3)
    return EntityAppearance(
        appearance_id=f"app_{number:03d}",
        start_time=start,
        end_time=end,
        segment_id=one.segment_id,
        duration=round(end - start, 3),
        trajectory_summary=describe_trajectory(one.points, aspect=aspect, camera=camera),
        avg_bbox=average_box(one.points),
    )


def _summary(appearances: list[EntityAppearance]) -> TrackSummary:
    gaps = [
        DisappearancePeriod(
            start_time=before.end_time,
            end_time=after.start_time,
            duration=round(after.start_time - before.end_time, 3),
        )
        for before, after in pairwise(appearances)
        if after.segment_id == before.segment_id or after.start_time - before.end_time > _CUT_GAP_S
    ]
    return TrackSummary(
        total_appearances=len(appearances),
        total_duration=round(sum(one.duration for one in appearances), 3),
        first_appearance=appearances[0].start_time if appearances else None,
        last_appearance=appearances[-1].end_time if appearances else None,
        disappearance_periods=gaps,
    )


OPERATION = Operation(
    name="track_entity",
    category="entity",
    purpose="Get every span of time in which an entity is visible, with its motion and position.",
    request=TrackEntityRequest,
    result=TrackEntityResult,
    run=run,
    stages=("shots", "tracks"),
    also_reads=("motion",),
    notes=(
        "An appearance never crosses a cut and ends where the entity was not seen for more than a second. "
        "Times are those of the frames that the index used, two to five a second. An entity that returns "
        "after a gap or a cut is recognised by its appearance (content and colours). This can be wrong, "
        "above all among people dressed alike. Two objects that are visible at the same time are never "
        "treated as one. Motion is relative to the scene, not the frame, where the camera's own motion "
        "could be measured. `last_appearance` is when the entity is seen last."
    ),
    example={"entity_id": "ent_001"},
    span=lambda request: request.time_range,
)
