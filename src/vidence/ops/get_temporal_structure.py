"""API-2 `get_temporal_structure`: the shots and scenes of a video."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from vidence.ops.context import OpContext
from vidence.ops.operation import Operation
from vidence.schema.ops import Request, Result

__all__ = [
    "OPERATION",
    "GetTemporalStructureRequest",
    "GetTemporalStructureResult",
    "StructureSegment",
]


class GetTemporalStructureRequest(Request):
    """Which video, and how fine."""

    granularity: Literal["coarse", "fine"] = Field(
        default="coarse",
        description="coarse: scenes, for an overview. fine: shots (camera cuts, fades, dissolves).",
    )


class StructureSegment(BaseModel):
    """One scene or shot."""

    model_config = ConfigDict(frozen=True)

    segment_id: str = Field(description="Stable name of the segment within its granularity.")
    start_time: float
    end_time: float
    duration: float
    type: Literal["scene", "shot"]


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
        )
        for segment in stored
    ]
    return GetTemporalStructureResult(segments=segments, total_segments=len(segments))


OPERATION = Operation(
    name="get_temporal_structure",
    category="video",
    purpose="Get a video's scenes (coarse) or shots (fine) as ordered segments with start and end times.",
    request=GetTemporalStructureRequest,
    result=GetTemporalStructureResult,
    run=run,
    stages=("shots",),
    notes=(
        "Shots begin at hard cuts, fades and dissolves; scenes group neighbouring shots that look alike and "
        "never split one. `seg_003` of the fine list and `seg_003` of the coarse list are different things: "
        "`type` tells them apart, and every other operation that returns a `segment_id` means a shot."
    ),
    example={"granularity": "fine"},
)
