"""API-14 `find_similar_segments`: other stretches of a video that look, mean or move like a given one."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Request, Result
from vidence.queries.search.explain import explain
from vidence.queries.search.grid import Grid
from vidence.queries.search.material import Material
from vidence.queries.search.similar import SIMILAR_ID, similar_segments
from vidence.schema.frozen import Frozen
from vidence.schema.time import TimeRange

__all__ = ["OPERATION", "FindSimilarSegmentsRequest", "FindSimilarSegmentsResult", "SimilarSegment"]

_MOST = 1000


class FindSimilarSegmentsRequest(Request):
    """Like which stretch, in which way, and where to look."""

    reference_segment: TimeRange = Field(description="The segment to compare with.")
    similarity_type: Literal["visual", "semantic", "motion"] = Field(
        default="semantic",
        description="visual: colours, texture, composition. semantic: what is shown and what happens. "
        "motion: how camera and things move.",
    )
    top_k: int = Field(default=10, ge=1, le=_MOST, description="At most this many segments.")
    time_range: TimeRange | None = Field(
        default=None, description="Search only this span; null for the whole video."
    )


class ReferenceSegment(Frozen):
    """The given segment."""

    start_time: float
    end_time: float
    duration: float


class SimilarSegment(Frozen):
    """One similar segment."""

    segment_id: str = Field(description="The shot that contains it.")
    start_time: float
    end_time: float
    duration: float
    similarity_score: float
    similarity_explanation: str = Field(description="The measured properties that both segments share.")


class FindSimilarSegmentsResult(Result):
    """The most similar first; an empty list means that nothing else is like the reference."""

    reference_segment: ReferenceSegment
    similar_segments: list[SimilarSegment]


def run(context: OpContext, request: FindSimilarSegmentsRequest) -> FindSimilarSegmentsResult:
    """Compare the reference with the other shots, or with stretches of its own length."""
    given = request.reference_segment
    reference = context.check_span(request.video_id, given.start_time, given.end_time)
    span = context.check_range(request.video_id, request.time_range)
    grid = Grid(Material(context.store, request.video_id))
    kind = request.similarity_type
    found = similar_segments(grid, reference, likeness=kind, limit=request.top_k, span=span)
    context.used(SIMILAR_ID)
    segments = []
    for one in found:
        start, end = round(one.start_s, 3), round(one.end_s, 3)
        other = TimeRange(start_time=start, end_time=end)
        segments.append(
            SimilarSegment(
                segment_id=one.segment_id,
                start_time=start,
                end_time=end,
                duration=round(end - start, 3),
                similarity_score=round(one.score, 3),
                similarity_explanation=explain(grid, reference, other, kind),
            )
        )
    return FindSimilarSegmentsResult(
        reference_segment=ReferenceSegment(
            start_time=round(reference.start_time, 3),
            end_time=round(reference.end_time, 3),
            duration=round(reference.duration_s, 3),
        ),
        similar_segments=segments,
    )


OPERATION = Operation(
    name="find_similar_segments",
    category="retrieval",
    purpose=(
        "Find other segments of a video that are similar to a given one, by appearance, by content or by "
        "motion."
    ),
    request=FindSimilarSegmentsRequest,
    result=FindSimilarSegmentsResult,
    run=run,
    stages=("shots", "frames", "labels", "objects", "image_vectors", "lens_vectors", "motion"),
    also_reads=("actions", "ocr"),
    span=lambda request: request.reference_segment,
    notes=(
        "A reference that fills its shot is compared with the other shots. A shorter one is compared with "
        "segments of its own length, so that an action repeated within a shot is found each time it "
        "happens: the number of results plus one (the reference) is a first answer to 'how many times'. "
        "Results overlap neither the reference nor each other. Results with a similarity below 0.5 are not "
        "returned."
    ),
    example={"reference_segment": "4-10", "similarity_type": "semantic"},
)
