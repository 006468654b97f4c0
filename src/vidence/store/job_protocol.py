"""What the other rooms ask of a store for long work: jobs and their events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from pydantic import JsonValue

from vidence.schema.jobs import JobEvent, JobRow, JobState

__all__ = ["Jobs"]


class Jobs(Protocol):
    """Long work and what it told, so that a restarted server goes on with it."""

    def add(
        self, kind: str, given: Mapping[str, JsonValue], *, subject: str = "", thread: str = ""
    ) -> JobRow:
        """Store a new job, queued, under an id that cannot be guessed."""

    def get(self, job_id: str) -> JobRow:
        """Return one job, or raise UnknownName."""

    def update(self, job: JobRow) -> None:
        """Write a job's state."""

    def page(
        self,
        *,
        kind: str | None = None,
        states: Sequence[JobState] = (),
        subject: str | None = None,
        thread: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> tuple[tuple[JobRow, ...], int]:
        """Return some of the jobs that fit, the newest first, and how many fit."""

    def remove(self, job_id: str) -> None:
        """Delete a job and its events."""

    def append(self, job_id: str, kind: str, data: Mapping[str, JsonValue]) -> JobEvent:
        """Store the job's next event and return it with its number."""

    def events(self, job_id: str, *, after: int = 0, limit: int = 1000) -> list[JobEvent]:
        """Return the events numbered above `after`, in order."""
