"""One run: picture and sound stages side by side, then what is derived from them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial

from vidence.errors import BackendError, VidenceError
from vidence.index.pipeline.derived import run_derived
from vidence.index.pipeline.job import Cancelled, Job
from vidence.index.pipeline.sound import run_sound
from vidence.index.pipeline.stages import STAGES
from vidence.index.pipeline.visual import run_pictures
from vidence.models.blas import single_threaded_blas

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
    usable = [name for name in pending if _has_models(job, name, errors)]
    pictures = [name for name in usable if STAGES[name].lane == "picture"]
    tasks = [_Task(pictures, partial(run_pictures, job, pictures))] if pictures else []
    tasks += [_Task([name], partial(run_sound, job, name)) for name in usable if STAGES[name].lane == "sound"]
    if "text_vectors" in usable:
        tasks.append(_Task([], partial(_open_text_model, job)))
    with single_threaded_blas():
        _side_by_side(job, tasks, errors)
    for name in usable:
        if STAGES[name].lane == "derived":
            _attempt(job, _Task([name], partial(run_derived, job, name)), errors)
    return errors


def _open_text_model(job: Job) -> None:
    """Open it beside the others: it is wanted when all of them are done and a core would stand idle."""
    job.shelf.text.embed(["."])


def _has_models(job: Job, stage: str, errors: dict[str, VidenceError]) -> bool:
    try:
        for capability in STAGES[stage].models:
            job.shelf.get(capability)
    except VidenceError as exc:
        _note(job, [stage], exc, errors)
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
                pass
        except BaseException:
            job.stop.set()
            raise
    for future in futures:
        future.result()


def _attempt(job: Job, task: _Task, errors: dict[str, VidenceError]) -> None:
    try:
        for stage, error in (task.work() or {}).items():
            _note(job, [stage], error, errors)
    except Cancelled:
        return
    except VidenceError as exc:
        _note(job, task.stages, exc, errors)
    except MemoryError as exc:
        _note(job, task.stages, BackendError("Out of memory while indexing. Close other programs."), errors)
        raise BackendError("Out of memory while indexing; run the same command again to resume.") from exc


def _note(job: Job, stages: Sequence[str], error: VidenceError, errors: dict[str, VidenceError]) -> None:
    for stage in stages:
        row = job.store.stages.get(job.video_id, stage)
        if row is not None and row.is_done:
            continue
        errors[stage] = error
        try:
            job.writer(stage).fail(str(error))
        except VidenceError as exc:
            # The video was removed, or the disk is full: the first error is the one to tell, and told once.
            if str(exc) != str(error):
                _log.warning("the failure of stage %s could not be noted: %s", stage, exc)
