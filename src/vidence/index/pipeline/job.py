"""One run over one video: what its stages share, and the writer that commits each of them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from vidence.index.pipeline.profile import Profile
from vidence.index.pipeline.stages import STAGES
from vidence.models.shelf import ModelShelf
from vidence.schema.catalogue import ContentId
from vidence.schema.media import MediaInfo
from vidence.schema.observations import Observation
from vidence.settings import Settings
from vidence.store import Store, VectorRow

__all__ = ["Cancelled", "Job", "StageWriter"]

Memo = TypeVar("Memo", bound=BaseModel)

_log = logging.getLogger(__name__)


class Cancelled(Exception):
    """The run was told to stop; what was committed is kept."""


@dataclass(frozen=True)
class Job:
    """Everything the stages of one run share."""

    video_id: str
    path: Path
    places: tuple[Path, ...]
    """The paths of all copies of the file, `path` among them."""
    info: MediaInfo
    store: Store
    shelf: ModelShelf
    settings: Settings
    profile: Profile
    report: Callable[[str, float], None]
    """Called with a stage and its progress, 0 to 1, from several threads."""
    cancel: Callable[[], bool] = lambda: False
    """True once the caller wants the run to stop."""
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def duration_s(self) -> float:
        return self.info.duration_s

    def writer(self, stage: str) -> StageWriter:
        """Return the writer of a stage, positioned where the last run stopped."""
        fingerprint = STAGES[stage].fingerprint(self.profile, self.shelf)
        assert fingerprint is not None, "a stage the profile omits is never run"
        fingerprint += STAGES[stage].suffix(self.places)
        return StageWriter(self.store, self.video_id, stage, fingerprint, duration_s=self.duration_s)

    def progress(self, stage: str, time_s: float) -> None:
        """Report that a stage has reached `time_s`."""
        self.report(stage, min(1.0, time_s / self.duration_s) if self.duration_s else 1.0)

    def note(self, warnings: Sequence[str]) -> None:
        """Keep what was found wrong with the file beside what its probe found; tell what is new."""
        with self.store.unit_of_work():
            record = self.store.catalogue.get(self.video_id)
            new = [one for one in dict.fromkeys(warnings) if one not in record.info.warnings]
            if not new:
                return
            place = record.locations[0]
            info = record.info.model_copy(update={"warnings": (*record.info.warnings, *new)})
            content = ContentId(record.video_id, record.sha256, place.size_bytes, place.mtime_ns)
            self.store.catalogue.add(place.path, info, content)

    def check(self) -> None:
        """Raise when the run was told to stop."""
        if self.stop.is_set():
            raise Cancelled


class StageWriter:
    """Writes one stage of one video, resuming where the last run stopped.

    Rows and cursor move in one transaction, so a killed run resumes exactly.
    """

    def __init__(
        self, store: Store, video_id: str, stage: str, fingerprint: str, *, duration_s: float
    ) -> None:
        self._store = store
        self.video_id = video_id
        self.stage = stage
        self._duration_s = max(duration_s, 1e-6)
        with store.unit_of_work():
            row = store.stages.begin(video_id, stage, fingerprint)
            if row.cursor is None:
                self._clear()
        self.cursor = row.cursor
        """What the last commit stored to resume from; None before the first commit."""

    @property
    def resume_s(self) -> float:
        """Where in the video to continue, for stages whose cursor is a time."""
        return float(self.cursor) if isinstance(self.cursor, int | float) else 0.0

    def load_cursor(self, kind: type[Memo]) -> Memo | None:
        """Return the stored cursor, for stages whose cursor is a model; None before the first commit.

        A cursor of another version that cannot be read is dropped together with the stage's rows.
        """
        if self.cursor is None:
            return None
        try:
            return kind.model_validate(self.cursor)
        except ValidationError:
            _log.warning("an earlier run's state of %s cannot be read; the stage starts again", self.stage)
        with self._store.unit_of_work():
            self._clear()
            self._store.stages.advance(self.video_id, self.stage, progress=0.0)
        self.cursor = None
        return None

    def commit(
        self,
        rows: Sequence[Observation] = (),
        *,
        upto_s: float,
        vectors: Sequence[VectorRow] = (),
        cursor: JsonValue = None,
    ) -> None:
        """Store final rows; a resumed run continues from `cursor`, by default the time `upto_s`."""
        with self._store.unit_of_work():
            if rows:
                self._store.observations.append(self.video_id, self.stage, rows)
            if vectors:
                self._store.vectors.append(self.video_id, self.stage, vectors)
            progress = min(1.0, upto_s / self._duration_s)
            self._store.stages.advance(
                self.video_id,
                self.stage,
                progress=progress,
                cursor=upto_s if cursor is None else cursor,
            )

    def finish(self) -> None:
        """Mark the stage as done."""
        self._store.stages.finish(self.video_id, self.stage)

    def fail(self, reason: str) -> None:
        """Store why the stage failed; its cursor is kept for another try."""
        self._store.stages.fail(self.video_id, self.stage, reason)

    def _clear(self) -> None:
        self._store.observations.clear(self.video_id, self.stage)
        self._store.vectors.clear(self.video_id, self.stage)
