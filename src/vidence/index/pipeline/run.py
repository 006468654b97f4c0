"""One run: the decode pass and the sound stages side by side, then the derived stages."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial

from vidence.errors import BackendError, VidenceError
from vidence.index.pipeline.decode_pass import run_decode_pass
from vidence.index.pipeline.job import Cancelled, Job
from vidence.index.pipeline.stages import STAGES, Stage
from vidence.models.runtime import single_threaded_blas

__all__ = ["compute"]

_POLL_S = 0.2
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Task:
    stages: list[str]
    work: Callable[[], dict[str, VidenceError] | None]
    """Returns the errors of stages that failed alone, or raises what stopped them all."""


def compute(job: Job, pending: Sequence[str]) -> dict[str, VidenceError]:
    """Compute the pending stages and return the errors of those that failed; the others are finished."""
    errors: dict[str, VidenceError] = {}
    usable = [STAGES[name] for name in pending if _has_models(job, STAGES[name], errors)]
    pictures = [stage.name for stage in usable if stage.kind in ("analyst", "lane")]
    tasks = [_Task(pictures, partial(run_decode_pass, job, pictures))] if pictures else []
    tasks += [_Task([stage.name], partial(stage.load(), job)) for stage in usable if stage.kind == "sound"]
    tasks += [_Task([], partial(_warm_up, job, stage)) for stage in usable if stage.warm_up]
    with single_threaded_blas():
        _side_by_side(job, tasks, errors)
    for stage in usable:
        if job.cancel():
            raise BackendError("Indexing was stopped; what was finished is kept.")
        if job.stop.is_set():
            break
        if stage.kind == "derived":
            _attempt(job, _Task([stage.name], partial(_derive, job, stage)), errors)
    return errors


def _warm_up(job: Job, stage: Stage) -> None:
    if stage.warm_up:
        stage.warm_up(job.shelf)


def _derive(job: Job, stage: Stage) -> None:
    """Compute a derived stage; it fails if a stage it is made from failed."""
    for need in stage.needs:
        row = job.store.stages.get(job.video_id, need)
        if row is None or not row.is_done:
            raise BackendError(
                f"{stage.name} is made from {need}, which is not finished. Index again to resume."
            )
    stage.load()(job)


def _has_models(job: Job, stage: Stage, errors: dict[str, VidenceError]) -> bool:
    try:
        for capability in stage.models:
            job.shelf.get(capability)
    except VidenceError as exc:
        _record_failure(job, [stage.name], exc, errors)
        return False
    return True


def _side_by_side(job: Job, tasks: Sequence[_Task], errors: dict[str, VidenceError]) -> None:
    if not tasks:
        return
    with ThreadPoolExecutor(len(tasks), thread_name_prefix="index") as pool:
        futures = [pool.submit(_attempt, job, task, errors) for task in tasks]
        try:
            # Short waits keep the main thread open to Ctrl-C.
            while wait(futures, timeout=_POLL_S).not_done:
                if job.cancel():
                    job.stop.set()
        except BaseException:
            job.stop.set()
            raise
    for future in futures:
        future.result()


def _attempt(job: Job, task: _Task, errors: dict[str, VidenceError]) -> None:
    try:
        for stage, error in (task.work() or {}).items():
            _record_failure(job, [stage], error, errors)
    except Cancelled:
        return
    except VidenceError as exc:
        _record_failure(job, task.stages, exc, errors)
    except MemoryError as exc:
        error = BackendError("Out of memory while indexing. Close other programs.")
        _record_failure(job, task.stages, error, errors)
        raise BackendError("Out of memory while indexing; run the same command again to resume.") from exc


def _record_failure(
    job: Job, stages: Sequence[str], error: VidenceError, errors: dict[str, VidenceError]
) -> None:
    for stage in stages:
        row = job.store.stages.get(job.video_id, stage)
        if row is not None and row.is_done:
            continue
        errors[stage] = error
        try:
            job.writer(stage).fail(str(error))
        except VidenceError as exc:
            # The video was removed or the disk is full: the first error is reported, and only once.
            if str(exc) != str(error):
                _log.warning("the failure of stage %s could not be stored: %s", stage, exc)
