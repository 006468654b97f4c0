"""Making sure that what an operation reads has been computed, once, with today's algorithms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from vidence.errors import UnknownName, VidenceError
from vidence.settings import Settings
from vidence.store import Store

__all__ = ["Indexer", "Stage", "StageJob"]

Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class StageJob:
    """One stage's work on one video."""

    video_id: str
    path: Path
    store: Store
    settings: Settings
    progress: Callable[[float], None]
    """Told how far the stage is, 0 to 1."""


class Stage(Protocol):
    """A part of the index that is computed, committed and versioned on its own."""

    name: str
    fingerprint: str
    """Model, version and parameters; when it changes the stage is computed again."""

    def run(self, job: StageJob) -> None:
        """Compute and commit the stage's rows, then mark the stage finished in the same transaction."""


class Indexer:
    """Runs the stages that are missing or out of date."""

    def __init__(self, store: Store, settings: Settings, stages: Iterable[Stage]) -> None:
        self._store = store
        self._settings = settings
        self._stages: Mapping[str, Stage] = {stage.name: stage for stage in stages}

    def ensure(self, video_id: str, names: Iterable[str], *, progress: Progress | None = None) -> list[str]:
        """Bring the named stages up to date and return their fingerprints."""
        fingerprints = []
        for name in names:
            if name not in self._stages:
                raise UnknownName("index stage", name, self._stages)
            stage = self._stages[name]
            if not self._is_current(video_id, stage):
                with self._store.locks.hold(video_id):
                    # Another process may have done it while we waited.
                    if not self._is_current(video_id, stage):
                        self._run(video_id, stage, progress)
            fingerprints.append(stage.fingerprint)
        return fingerprints

    def _is_current(self, video_id: str, stage: Stage) -> bool:
        row = self._store.stages.get(video_id, stage.name)
        return row is not None and row.state == "done" and row.fingerprint == stage.fingerprint

    def _run(self, video_id: str, stage: Stage, progress: Progress | None) -> None:
        path = self._store.catalogue.locate(video_id)

        def report(fraction: float) -> None:
            if progress is not None:
                progress(stage.name, fraction)

        self._store.stages.begin(video_id, stage.name, stage.fingerprint)
        try:
            stage.run(StageJob(video_id, path, self._store, self._settings, report))
        except VidenceError as exc:
            self._store.stages.fail(video_id, stage.name, str(exc))
            raise
