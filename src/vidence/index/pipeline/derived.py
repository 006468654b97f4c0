"""The stages computed from other stages: captions and text vectors."""

from __future__ import annotations

from collections.abc import Callable

from vidence.errors import BackendError
from vidence.index.pipeline.captions import run_captions
from vidence.index.pipeline.job import Job
from vidence.index.pipeline.stages import STAGES
from vidence.index.pipeline.text_vectors import run_text_vectors

__all__ = ["run_derived"]

_RUNS: dict[str, Callable[[Job], None]] = {
    "captions": run_captions,
    "text_vectors": run_text_vectors,
}


def run_derived(job: Job, stage: str) -> None:
    """Compute one derived stage; one made of stages that failed would be wrong, so it fails too."""
    for need in STAGES[stage].needs:
        row = job.store.stages.get(job.video_id, need)
        if row is None or not row.is_done:
            raise BackendError(f"{stage} is made from {need}, which is not finished. Index again to resume.")
    _RUNS[stage](job)
