"""One run over one video: where it is, how thoroughly to look, whom to tell, and whether to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from vidence.index.pipeline.profile import Profile
from vidence.index.pipeline.stages import STAGES, mark
from vidence.index.pipeline.writer import StageWriter
from vidence.models.shelf import ModelShelf
from vidence.schema.media import MediaInfo
from vidence.settings import Settings
from vidence.store import Store

__all__ = ["Cancelled", "Job"]


class Cancelled(Exception):
    """The run was told to stop; what was committed is kept."""


@dataclass(frozen=True)
class Job:
    """Everything the lanes of one run share."""

    video_id: str
    path: Path
    places: tuple[Path, ...]
    """Where copies of the file lie, `path` among them."""
    info: MediaInfo
    store: Store
    shelf: ModelShelf
    settings: Settings
    profile: Profile
    progress: Callable[[str, float], None]
    """Told a stage and how far it is, 0 to 1; called from several threads."""
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def duration_s(self) -> float:
        return self.info.duration_s

    def writer(self, stage: str) -> StageWriter:
        """Take up a stage where it was left."""
        fingerprint = STAGES[stage].fingerprint(self.profile, self.shelf)
        assert fingerprint is not None, "a stage the profile leaves out is never run"
        fingerprint += mark(STAGES[stage], self.places)
        return StageWriter(self.store, self.video_id, stage, fingerprint, duration_s=self.duration_s)

    def check(self) -> None:
        """Raise when the run was told to stop."""
        if self.stop.is_set():
            raise Cancelled
