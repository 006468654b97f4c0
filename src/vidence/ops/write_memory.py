"""API-15 `write_memory`: keep what was found out about a video."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from vidence.errors import OpRetry, UserError
from vidence.memory import MemoryBook, open_book
from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Request, Result
from vidence.schema.memory import NewMemory
from vidence.schema.time import TimeRange

__all__ = [
    "OPERATION",
    "MemoryRequest",
    "WriteMemoryRequest",
    "WriteMemoryResult",
    "video_book",
    "video_scope",
]

_MAX_CHARS = 100_000

WrittenType = Literal["observation", "inference", "hypothesis", "answer"]


class MemoryRequest(Request):
    """A request that has a memory type, which may be written `type` for short."""

    @model_validator(mode="before")
    @classmethod
    def _type_for_short(cls, values: Any) -> Any:
        if isinstance(values, dict) and "type" in values and "memory_type" not in values:
            return {"memory_type" if name == "type" else name: value for name, value in values.items()}
        return values


class WriteMemoryRequest(MemoryRequest):
    """What to remember, and on what it rests."""

    memory_type: WrittenType = Field(
        description="observation: returned by an operation; inference: concluded from observations; "
        "hypothesis: still to be checked; answer: a conclusion or answer."
    )
    content: str = Field(min_length=1, max_length=_MAX_CHARS, description="What to remember, in plain words.")
    time_range: TimeRange | None = Field(default=None, description="The part of the video that it is about.")
    related_entities: tuple[str, ...] = Field(
        default=(), max_length=100, description="Ids of the entities it is about (ent_…)."
    )
    importance: float = Field(
        default=0.5, ge=0, le=1, description="0–0.3 a detail, 0.4–0.7 useful, 0.8–1 key."
    )

    @field_validator("related_entities", mode="before")
    @classmethod
    def _none_is_empty(cls, value: object) -> object:
        return () if value is None else value


class WriteMemoryResult(Result):
    """The id under which it is remembered."""

    memory_id: str
    success: bool
    created_at: float = Field(description="Unix time at which the memory was first written.")


def video_scope(video_id: str) -> str:
    """Return the scope the memories of a video are kept in."""
    return f"video:{video_id}"


def video_book(context: OpContext, video_id: str) -> MemoryBook:
    """Open the memories of a video."""
    book, _ = open_book(
        context.store.memories,
        video_scope(video_id),
        embedder=lambda: context.shelf.text,
        video_id=video_id,
    )
    return book


def run(context: OpContext, request: WriteMemoryRequest) -> WriteMemoryResult:
    """Write the memory, or confirm an existing one with the same content."""
    span = context.check_range(request.video_id, request.time_range)
    book = video_book(context, request.video_id)
    new = NewMemory(
        content=request.content,
        memory_type=request.memory_type,
        importance=request.importance,
        time_range=span,
        related_entities=request.related_entities,
        source="write_memory",
    )
    try:
        memory = book.write(new).memory
    except UserError as exc:
        raise OpRetry(f"write_memory: {exc}") from exc
    if book.embedder is not None:
        context.used(book.embedder.model_id)
    return WriteMemoryResult(memory_id=memory.memory_id, success=True, created_at=memory.created_at)


OPERATION = Operation(
    name="write_memory",
    category="memory",
    purpose=(
        "Store an observation, inference, hypothesis or answer about a video, with its time and entities."
    ),
    request=WriteMemoryRequest,
    result=WriteMemoryResult,
    run=run,
    stateful=True,
    span=lambda request: request.time_range,
    example={
        "memory_type": "observation",
        "content": "A woman in a red apron enters the kitchen",
        "importance": 0.9,
    },
    notes=(
        "Writing something that is already stored returns its existing id. Text that was recalled as an "
        "inference, a hypothesis or an answer is refused as an observation: an observation is what an "
        "operation returned. Memories persist after the session and are shared by every process that opens "
        "the workspace."
    ),
)
