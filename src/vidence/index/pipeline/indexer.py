"""Bringing the index of a video up to date: computing what is missing or out of date, in one run."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from vidence.errors import FileProblem, UnknownName, VidenceError
from vidence.index.pipeline.job import Job
from vidence.index.pipeline.profile import PROFILES, Profile
from vidence.index.pipeline.stages import BESIDE, STAGES, Stage, stage_names
from vidence.models.shelf import ModelShelf
from vidence.schema.catalogue import StageRow
from vidence.settings import Settings
from vidence.store import Store

__all__ = ["Indexer", "StageOutcome", "StageStatus"]

Progress = Callable[[str, float], None]

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class StageOutcome:
    """How one stage of a run ended."""

    stage: str
    computed: bool
    """False when it was up to date already."""
    error: VidenceError | None = None


@dataclass(frozen=True)
class StageStatus:
    """How one stage of a video stands."""

    stage: str
    state: Literal["missing", "running", "stopped", "done", "failed", "out of date"]
    progress: float
    made_with: str
    error: str | None = None


class Indexer:
    """Computes index stages; each commits as it goes, so that a killed run resumes."""

    def __init__(self, store: Store, settings: Settings, shelf: ModelShelf) -> None:
        self._store, self._settings, self.shelf = store, settings, shelf

    def ensure(self, video_id: str, names: Iterable[str], *, progress: Progress | None = None) -> list[str]:
        """Make the named stages available under any profile and return what they were computed with."""
        wanted = list(names)
        for outcome in self.run(video_id, wanted, progress=progress):
            if outcome.error is not None:
                raise outcome.error
        rows = [self._store.stages.get(video_id, name) for name in wanted]
        return [row.fingerprint for row in rows if row is not None]

    def run(
        self,
        video_id: str,
        names: Sequence[str] | None = None,
        *,
        profile: Profile | None = None,
        progress: Progress | None = None,
        cancel: Callable[[], bool] = lambda: False,
    ) -> list[StageOutcome]:
        """Bring stages up to date (by default all of the profile's) and return how each ended."""
        chosen = profile or PROFILES["default"]
        order = self._closure(names if names is not None else stage_names(chosen, self.shelf))
        if not self._pending(video_id, order, profile):
            return [StageOutcome(name, computed=False) for name in order]
        with self._store.locks.hold(video_id, waiting=_warn_waiting):
            # Another process may have done it while we waited.
            pending = self._pending(video_id, order, profile)
            job = self._job(video_id, chosen, progress, cancel)
            errors = self._compute(job, pending) if pending else {}
            self._forget_dependents(video_id, set(pending), keep=order)
        return [StageOutcome(name, name in pending, errors.get(name)) for name in order]

    def status(self, video_id: str) -> list[StageStatus]:
        """Return how each stage of a video stands, in the order of the table."""
        is_worked_on = self._store.locks.is_held(video_id)
        return [self._stage_status(video_id, stage, is_worked_on) for stage in STAGES.values()]

    def _stage_status(self, video_id: str, stage: Stage, is_worked_on: bool) -> StageStatus:
        row = self._store.stages.get(video_id, stage.name)
        if row is None:
            return StageStatus(stage.name, "missing", 0.0, "")
        if not self._fits(row, stage, None):
            return StageStatus(stage.name, "out of date", row.progress, row.fingerprint)
        # A killed run leaves its stages marked as running, though no process works on them.
        state = "stopped" if row.state == "running" and not is_worked_on else row.state
        return StageStatus(stage.name, state, row.progress, row.fingerprint, row.error)

    def _closure(self, names: Iterable[str]) -> list[str]:
        """Return the stages and all they need, in the order of the table."""
        wanted: set[str] = set()
        queue = list(names)
        while queue:
            name = queue.pop()
            if name not in STAGES:
                raise UnknownName("index stage", name, STAGES)
            if name not in wanted:
                wanted.add(name)
                queue += STAGES[name].needs
        return [name for name in STAGES if name in wanted]

    def _pending(self, video_id: str, names: Iterable[str], profile: Profile | None) -> list[str]:
        """Return the stages that are missing, out of date, or need a stage that is; needs come first."""
        pending: list[str] = []
        for name in names:
            stage = STAGES[name]
            if set(stage.needs) & set(pending) or not self._is_current(video_id, stage, profile):
                pending.append(name)
        return pending

    def _is_current(self, video_id: str, stage: Stage, profile: Profile | None) -> bool:
        row = self._store.stages.get(video_id, stage.name)
        return row is not None and row.is_done and self._fits(row, stage, profile)

    def _fits(self, row: StageRow, stage: Stage, profile: Profile | None) -> bool:
        fingerprints = stage.accepted(profile, self.shelf)
        places = self._places(row.video_id) if stage.beside else ()
        if stage.beside and not places:
            # The file is gone, so what lay beside it is unknown.
            return row.fingerprint.partition(BESIDE)[0] in fingerprints
        return row.fingerprint in {f"{one}{stage.suffix(places)}" for one in fingerprints}

    def _places(self, video_id: str) -> tuple[Path, ...]:
        locations = self._store.catalogue.get(video_id).locations
        return tuple(location.path for location in locations if location.path.is_file())

    def _compute(self, job: Job, pending: Sequence[str]) -> dict[str, VidenceError]:
        """Compute stages; discard them if the file was written to meanwhile."""
        # Imported here so that `vidence status` loads neither the decoder nor the lanes.
        from vidence.index.pipeline.run import compute
        from vidence.models.runtime import check_address_space

        check_address_space()
        before = _stamp(job.path)
        errors = compute(job, pending)
        # A file removed while it was open could still be read to its end.
        if job.path.exists() and _stamp(job.path) != before and not self._still_holds(job):
            for name in pending:
                self._store.stages.reset(job.video_id, name)
            raise FileProblem(
                f"{str(job.path)!r} changed while it was indexed. Let whatever writes it finish, "
                "then run the same command again."
            )
        return errors

    def _still_holds(self, job: Job) -> bool:
        try:
            there = self._store.catalogue.at(job.path)
        except FileProblem:
            return False
        return there is not None and there.video_id == job.video_id

    def _forget_dependents(self, video_id: str, computed: set[str], *, keep: Iterable[str]) -> None:
        """Reset stages that were not asked for and depend on what was just computed."""
        for name in self._dependents(computed) - set(keep):
            self._store.stages.reset(video_id, name)

    def _dependents(self, names: set[str]) -> set[str]:
        found: set[str] = set()
        for stage in STAGES.values():
            if set(stage.needs) & (names | found):
                found.add(stage.name)
        return found

    def _job(
        self, video_id: str, profile: Profile, progress: Progress | None, cancel: Callable[[], bool]
    ) -> Job:
        lock = threading.Lock()

        def report(stage: str, fraction: float) -> None:
            if progress is not None:
                with lock:
                    progress(stage, fraction)

        path = self._store.catalogue.locate(video_id)
        return Job(
            video_id=video_id,
            path=path,
            places=(path, *(place for place in self._places(video_id) if place != path)),
            info=self._store.catalogue.get(video_id).info,
            store=self._store,
            shelf=self.shelf,
            settings=self._settings,
            profile=profile,
            report=report,
            cancel=cancel,
        )


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _warn_waiting() -> None:
    _log.warning("Another vidence is working on this video; waiting for it to finish.")
