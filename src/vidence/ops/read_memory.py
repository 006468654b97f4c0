"""API-16 `read_memory`: find again what was remembered about a video."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from vidence.language.times import find_times
from vidence.memory import MemoryBook
from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Result
from vidence.ops.write_memory import MemoryRequest, WrittenType, video_book, video_scope
from vidence.schema.frozen import Frozen
from vidence.schema.memory import Memory
from vidence.schema.time import TimeRange

__all__ = ["OPERATION", "ReadMemoryRequest", "ReadMemoryResult", "RecalledMemory"]

_EVERYTHING = "*"
_RANKED = 50
_IMPORTANCE, _NEARNESS = 0.5, 0.5
"""How much importance and nearness in time change the relevance that memories are ranked by."""
_NEAR_S, _MOMENT_S = 5.0, 0.1


class ReadMemoryRequest(MemoryRequest):
    """What to look for among the memories."""

    query: str = Field(
        min_length=1, max_length=10_000, description="What to search for, in plain words; `*` for everything."
    )
    memory_type: WrittenType | None = Field(default=None, description="Only memories of this type.")
    top_k: int = Field(default=5, ge=1, le=1000, description="At most this many memories.")
    time_range: TimeRange | None = Field(
        default=None, description="Only memories about this part of the video."
    )
    min_importance: float = Field(
        default=0.0, ge=0, le=1, description="Only memories with at least this importance."
    )


class RecalledMemory(Frozen):
    """One memory and how relevant it is to the query."""

    memory_id: str
    content: str
    memory_type: str
    time_range: TimeRange | None
    related_entities: tuple[str, ...]
    importance: float
    relevance: float = Field(description="Probability that it answers the query, 0 to 1.")
    created_at: float


class ReadMemoryResult(Result):
    """The memories that fit, the most relevant first."""

    query: str
    memories: list[RecalledMemory]
    total_matches: int


def run(context: OpContext, request: ReadMemoryRequest) -> ReadMemoryResult:
    """Return the memories that pass the filters, ranked, each with its relevance."""
    span = context.check_range(request.video_id, request.time_range)
    scope = video_scope(request.video_id)
    book = video_book(context, request.video_id)
    if request.query == _EVERYTHING:
        found = [(memory, 1.0) for memory in book.memories.all(scope) if _fits(memory, request, span)]
        found.sort(key=lambda pair: (-pair[0].importance, pair[0].number))
    else:
        found = _recall(book, request, span)
        if book.embedder is not None:
            context.used(book.embedder.model_id)
    kept = [_recalled(memory, relevance) for memory, relevance in found[: request.top_k]]
    return ReadMemoryResult(query=request.query, memories=kept, total_matches=len(found))


def _recall(
    book: MemoryBook, request: ReadMemoryRequest, span: TimeRange | None
) -> list[tuple[Memory, float]]:
    """Rank the memories that pass the filters by relevance, which importance and nearness in time modify."""
    recalled = book.recall(
        request.query, max(request.top_k, _RANKED), keep=lambda memory: _fits(memory, request, span)
    )
    named = [point.value_s for one in find_times(request.query) for point in one.points]
    found = list(recalled.memories)
    found.sort(key=lambda pair: -pair[1] * _weight(pair[0], span, named))
    return found


def _weight(memory: Memory, span: TimeRange | None, named: Sequence[float]) -> float:
    """Return the factor on a memory's relevance: its importance, and its nearness to the times asked for."""
    return 1 + _IMPORTANCE * (memory.importance - 0.5) + _NEARNESS * _nearness(memory, span, named)


def _nearness(memory: Memory, span: TimeRange | None, named: Sequence[float]) -> float:
    """Return how near a memory is to the times that are asked about, 0 to 1; 0 where neither has a time."""
    own = memory.time_range
    if own is None:
        return 0.0
    shares = [own.overlap_s(span) / max(own.end_time - own.start_time, _MOMENT_S)] if span else []
    away = [max(own.start_time - time_s, time_s - own.end_time, 0.0) for time_s in named]
    return min(1.0, max([*shares, *(1 / (1 + one / _NEAR_S) for one in away)], default=0.0))


def _fits(memory: Memory, request: ReadMemoryRequest, span: TimeRange | None) -> bool:
    if request.memory_type is not None and memory.memory_type != request.memory_type:
        return False
    if memory.importance < request.min_importance:
        return False
    return span is None or (memory.time_range is not None and memory.time_range.overlap_s(span) > 0)


def _recalled(memory: Memory, relevance: float) -> RecalledMemory:
    return RecalledMemory(
        memory_id=memory.memory_id,
        content=memory.content,
        memory_type=memory.memory_type,
        time_range=memory.time_range,
        related_entities=memory.related_entities,
        importance=memory.importance,
        relevance=round(relevance, 3),
        created_at=memory.created_at,
    )


OPERATION = Operation(
    name="read_memory",
    category="memory",
    purpose="Search the memories of a video by meaning and words, with type, time and importance.",
    request=ReadMemoryRequest,
    result=ReadMemoryResult,
    run=run,
    stateful=True,
    span=lambda request: request.time_range,
    example={"query": "when did the woman first appear"},
    notes=(
        "Memories are ranked by relevance to the query, modified by their importance and by how near they "
        "are to the times of the query; `relevance` is the probability that a memory answers it, so a low "
        "one means that none does. An empty list means that there is no memory. `*` lists all memories, the "
        "most important first. A recalled memory is not an observation: do not write it back as one."
    ),
)
