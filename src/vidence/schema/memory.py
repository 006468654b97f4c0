"""Memories: what was observed, inferred, supposed or answered, and where each came from."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from pydantic import BaseModel, ConfigDict, Field

from vidence.schema.time import TimeRange

__all__ = [
    "ConversationMessage",
    "Memory",
    "MemoryState",
    "MemorySummary",
    "MemoryType",
    "NewMemory",
    "RetrievalResult",
]

MemoryType = Literal["observation", "inference", "hypothesis", "answer", "conversation_summary"]
MemoryState = Literal["active", "superseded", "forgotten"]


class ConversationMessage(TypedDict):
    """One message of a conversation."""

    role: str
    content: str
    timestamp: float
    turn_id: str
    session_id: str
    window_id: int


class MemorySummary(TypedDict):
    """What is kept of a window of conversation."""

    content: str
    original_content: str
    analysis: dict[str, Any]
    type: str
    timestamp: float
    metadata: dict[str, Any]


class RetrievalResult(TypedDict):
    """One memory found again."""

    content: str
    metadata: dict[str, Any]
    index: int


class NewMemory(BaseModel):
    """A memory about to be written."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    content: str
    memory_type: MemoryType = "observation"
    importance: float = Field(default=0.5, ge=0, le=1)
    pinned: bool = False
    source: str = "user"
    """Who or what it comes from: a person, an operation's record, a file."""
    speaker: str | None = None
    session_id: str | None = None
    subject: str | None = None
    said_at: float | None = None
    """Unix time at which it was said or seen; the time of writing when not given."""
    time_range: TimeRange | None = None
    """The part of the video that it is about."""
    related_entities: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    """Ids of the turns, records or memories it rests on."""
    metadata: dict[str, Any] = Field(default_factory=dict)


class Memory(NewMemory):
    """A memory as it is kept."""

    memory_id: str
    scope: str
    number: int
    created_at: float
    confirmed_at: float
    """When it was last seen to hold."""
    state: MemoryState = "active"
    supersedes: str | None = None
    superseded_by: str | None = None
    reason: str | None = None
    """Why it was corrected or forgotten."""
