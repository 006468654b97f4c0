"""API-2 `get_temporal_structure`: the shots and scenes of a video."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Request, Result
from vidence.schema.frozen import Frozen
from vidence.schema.observations import Transition

__all__ = [
    "OPERATION",
    "GetTemporalStructureRequest",
    "GetTemporalStructureResult",
    "Gradual",
    "StructureSegment",
]


class GetTemporalStructureRequest(Request):
    """Which video, and how fine."""

    granularity: Literal["coarse", "fine"] = Field(
        default="coarse",
        description="coarse: scenes, for an overview. fine: shots (camera cuts, fades, dissolves).",
    )


Gradual = Literal["fade", "dissolve"]


class StructureSegment(Frozen):
    """One scene or shot."""

    segment_id: str = Field(description="Stable id of the segment within its granularity.")
    start_time: float
    end_time: float
    duration: float
    type: Literal["scene", "shot"]
    transition: Gradual | None = Field(
        default=None,
        exclude_if=lambda value: value is None,
        description="How it begins if not with a hard cut: fade or dissolve.",
    )


class GetTemporalStructureResult(Result):
    """The segments in order; together they cover the whole video."""

    segments: list[StructureSegment]
    total_segments: int


def run(context: OpContext, request: GetTemporalStructureRequest) -> GetTemporalStructureResult:
    """Answer from the index; scenes never split a shot."""
    stored = context.store.segments.load(request.video_id, request.granularity)
    segments = [
        StructureSegment(
            segment_id=segment.segment_id,
            start_time=round(segment.start_time, 3),
            end_time=round(segment.end_time, 3),
            duration=round(segment.end_time - segment.start_time, 3),
            type=segment.type,
            transition=_gradual(segment.transition),
        )
        for segment in stored
    ]
    return GetTemporalStructureResult(segments=segments, total_segments=len(segments))


def _gradual(transition: Transition) -> Gradual | None:
    return transition if transition == "fade" or transition == "dissolve" else None


OPERATION = Operation(
    name="get_temporal_structure",
    category="video",
    purpose="Get a video's scenes (coarse) or shots (fine) as ordered segments with start and end times.",
    request=GetTemporalStructureRequest,
    result=GetTemporalStructureResult,
    run=run,
    stages=("shots",),
    version=2,
    notes=(
        "Shots begin at hard cuts, fades and dissolves. Scenes group neighbouring shots that look alike; a "
        "shot is never split. `seg_003` of the fine list and `seg_003` of the coarse list are different "
        "segments: `type` says which it is. In every other operation a `segment_id` means a shot."
    ),
    example={"granularity": "fine"},
)
