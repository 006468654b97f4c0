"""`get_notes`: everything known about a video as short notes in order of time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Literal

import numpy as np
from pydantic import Field

from vidence.index.scene.likeness import vector_places
from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Request, Result
from vidence.queries.notes.seen import Likely
from vidence.queries.notes.take import NOTES_ID, take_notes
from vidence.queries.search.meaning import match_probability
from vidence.schema.reading import NotedLine
from vidence.schema.time import TimeRange
from vidence.store.protocols import VectorRow

__all__ = ["OPERATION", "GetNotesRequest", "GetNotesResult"]


class GetNotesRequest(Request):
    """Which video, which part, and in which language to describe what is seen."""

    time_range: TimeRange | None = Field(
        default=None, description="Only notes that hold in this span; null for the whole video."
    )
    language: Literal["en", "zh"] = Field(
        default="en", description="Language of what is seen and heard; speech and text stay as they are."
    )


class GetNotesResult(Result):
    """The notes in order of time."""

    notes: list[NotedLine]


def run(context: OpContext, request: GetNotesRequest) -> GetNotesResult:
    """Gather the notes from the index."""
    span = context.check_range(request.video_id, request.time_range)
    context.used(NOTES_ID)
    notes = take_notes(
        context.store,
        request.video_id,
        context.video(request.video_id).info.duration_s,
        language=request.language,
        places=vector_places(context.shelf),
        likely=_likely(context, request.video_id),
    )
    if span is not None:
        notes = [one for one in notes if one.start_time < span.end_time and one.end_time > span.start_time]
    return GetNotesResult(notes=notes)


def _likely(context: OpContext, video_id: str) -> Likely | None:
    """Return how likely words are true of any frame of a span; None where another model made the vectors."""
    shelf = context.shelf
    if shelf.name("image_text") != "lens":
        return None

    @cache
    def rows() -> Sequence[VectorRow]:
        return context.store.vectors.load(video_id, "lens_vectors")

    def likely(words: str, span: TimeRange) -> float:
        inside = [one.vector for one in rows() if span.start_time <= one.start_time < span.end_time]
        if not inside:
            return 1.0
        encoder = shelf.image_text
        chances = match_probability(
            encoder, encoder.encode_texts([words]), np.asarray(inside, np.float32), is_chinese=False
        )
        return float(chances.max())

    return likely


OPERATION = Operation(
    name="get_notes",
    category="retrieval",
    purpose="Get what is said, written, seen and heard in a video as short notes with times.",
    request=GetNotesRequest,
    result=GetNotesResult,
    run=run,
    stages=("shots", "motion", "frames", "labels", "objects", "ocr", "transcript", "sounds", "image_vectors"),
    also_reads=("actions", "tracks", "lens_vectors"),
    version=13,
    span=lambda request: request.time_range,
    notes=(
        "Lines of text on screen are merged over frames, so that each is given once, with the time it is "
        "shown; a running clock is given by its ends. A name in a caption under a person is tied to the "
        "voice that speaks meanwhile. What is seen is told for each phase of a shot, and only where it is "
        "sure, or else marked as a guess."
    ),
    example={"language": "en"},
)
