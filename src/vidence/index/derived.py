"""The stages computed from other stages: captions and text vectors."""

from __future__ import annotations

from collections.abc import Callable

from vidence.index.job import Job

__all__ = ["run_derived"]

_RUNS: dict[str, Callable[[Job], None]] = {}


def run_derived(job: Job, stage: str) -> None:
    """Compute one derived stage."""
    _RUNS[stage](job)
