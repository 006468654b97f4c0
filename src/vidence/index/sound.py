"""The sound stages, each over its own reading of the sound track."""

from __future__ import annotations

from collections.abc import Callable

from vidence.index.job import Job

__all__ = ["run_sound"]

_RUNS: dict[str, Callable[[Job], None]] = {}


def run_sound(job: Job, stage: str) -> None:
    """Compute one sound stage."""
    _RUNS[stage](job)
