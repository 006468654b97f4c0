"""Long work that outlives a page and a server: jobs and what they tell."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from vidence.schema.frozen import Frozen

__all__ = ["ACTIVE", "JobEvent", "JobRow", "JobState"]

JobState = Literal["queued", "running", "done", "failed", "cancelled"]
ACTIVE: tuple[JobState, ...] = ("queued", "running")
"""The states of a job that still has work to do."""


class JobRow(Frozen):
    """One job as it stands."""

    job_id: str
    kind: str
    """What is done: index, ask, …"""
    subject: str = ""
    """The video or other thing it is about; empty for the whole library."""
    thread: str = ""
    """The conversation it belongs to; empty for none."""
    given: dict[str, JsonValue] = Field(default_factory=dict)
    """Its input."""
    state: JobState = "queued"
    progress: float = 0.0
    """The fraction done, 0 to 1, where that is known."""
    note: str = ""
    """What it is doing now."""
    result: JsonValue = None
    error: str | None = None
    attempts: int = 0
    """How often it was begun: more than once after a server was stopped in the middle."""
    created_at: float
    started_at: float | None = None
    ended_at: float | None = None

    @property
    def is_active(self) -> bool:
        return self.state in ACTIVE


class JobEvent(Frozen):
    """One thing a job told; numbers count from 1 within a job and never start over."""

    job_id: str
    number: int
    kind: str
    data: dict[str, JsonValue]
    at: float
