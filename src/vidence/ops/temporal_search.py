"""API-13 `temporal_search`: where in a video something is seen, said or heard."""

from __future__ import annotations

import time
from typing import Literal

from pydantic import Field, field_validator

from vidence.language.question import read_question
from vidence.language.tokens import clean, has_words
from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Request, Result
from vidence.queries.search.fuse import FUSION_ID
from vidence.queries.search.material import Material
from vidence.queries.search.meaning import Phrases
from vidence.queries.search.search import AUDIO_STAGES, VISUAL_STAGES, SearchSpan, search_video
from vidence.schema.frozen import Frozen
from vidence.schema.time import TimeRange

__all__ = ["OPERATION", "SearchHit", "TemporalSearchRequest", "TemporalSearchResult"]

_LONGEST = 2000
_MOST = 1000


class TemporalSearchRequest(Request):
    """What to search for, where and by which sense."""

    query: str = Field(
        min_length=1,
        max_length=_LONGEST,
        description='What to find, in English or Chinese: "person enters a room", "红色的杯子". '
        "Words in quotation marks are found exactly as said or shown.",
    )
    top_k: int = Field(default=10, ge=1, le=_MOST, description="At most this many results.")
    time_range: TimeRange | None = Field(
        default=None, description="Search only this span; null for the whole video."
    )
    modality: Literal["visual", "audio", "multimodal"] = Field(
        default="visual",
        description="visual: what is seen, words on screen included. audio: what is said and heard. "
        "multimodal: both.",
    )

    @field_validator("query")
    @classmethod
    def _says_something(cls, query: str) -> str:
        if not has_words(clean(query)):
            raise ValueError("the query holds no words; say what to look or listen for")
        return query


class SearchHit(Frozen):
    """One matching span of the video."""

    segment_id: str = Field(description="The shot that contains it.")
    start_time: float
    end_time: float
    duration: float
    confidence: float = Field(description="Calibrated probability that this matches the query.")
    matched_modality: Literal["visual", "audio", "multimodal"]


class TemporalSearchResult(Result):
    """The stretches that fit, the likeliest first; an empty list means that nothing was found."""

    query: str
    results: list[SearchHit]
    search_time_ms: float = Field(description="Duration of the search without indexing.")


def run(context: OpContext, request: TemporalSearchRequest) -> TemporalSearchResult:
    """Gather the evidence for the query from the index and return the likeliest spans."""
    span = context.check_range(request.video_id, request.time_range)
    started = time.perf_counter()
    query = read_question(request.query).search
    found = search_video(
        query,
        Material(context.store, request.video_id),
        Phrases(query, context.shelf),
        modality=request.modality,
        limit=request.top_k,
        span=span,
    )
    context.used(FUSION_ID)
    return TemporalSearchResult(
        query=request.query,
        results=[_hit(one) for one in found],
        search_time_ms=round((time.perf_counter() - started) * 1000, 3),
    )


def _hit(found: SearchSpan) -> SearchHit:
    start, end = round(found.start_s, 3), round(found.end_s, 3)
    return SearchHit(
        segment_id=found.segment_id,
        start_time=start,
        end_time=end,
        duration=round(end - start, 3),
        confidence=round(found.confidence, 3),
        matched_modality=found.modality,
    )


OPERATION = Operation(
    name="temporal_search",
    category="retrieval",
    purpose="Find the spans of a video in which something is seen, said, heard or written, by a text query.",
    request=TemporalSearchRequest,
    result=TemporalSearchResult,
    run=run,
    version=2,
    stages=(*VISUAL_STAGES, *AUDIO_STAGES, "text_vectors"),
    also_reads=("actions",),
    capabilities=("image_text", "text_embeddings"),
    span=lambda request: request.time_range,
    notes=(
        "Evidence comes from image labels, objects with their colours, clothes and postures, actions, text "
        "on screen, speech, sounds, captions, and from comparing the phrase itself with every frame. A "
        "question is searched for its subject. Times that it names ('at about 20 seconds', 'at the end') "
        "and changes ('enters', 'leaves', 'is taken away', 'first appears') are used. Words in quotation "
        "marks must be said or shown exactly. `confidence` is a calibrated probability. Spans below 0.25 "
        "(0.12 for a question) are not returned, so an empty list means that nothing was found. Negation is "
        "not understood, except that something is out of the picture."
    ),
    example={"query": "a cat", "top_k": 5},
)
