"""Writing a stage: its rows and its cursor move in one transaction, so a killed run resumes exactly."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from vidence.schema.observations import Observation
from vidence.store import Store, VectorRow

__all__ = ["StageWriter"]

Memo = TypeVar("Memo", bound=BaseModel)

_log = logging.getLogger(__name__)


class StageWriter:
    """One stage of one video, taken up where it was left."""

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
        """What the last commit left to resume from; None at the very beginning."""

    @property
    def resume_s(self) -> float:
        """Where in the video to go on, for stages whose cursor is a time."""
        return float(self.cursor) if isinstance(self.cursor, int | float) else 0.0

    def left(self, kind: type[Memo]) -> Memo | None:
        """Return what the last commit left, for stages whose cursor is a memo; None before the first.

        What another version of the program left and this one cannot read is thrown away, its rows too.
        """
        if self.cursor is None:
            return None
        try:
            return kind.model_validate(self.cursor)
        except ValidationError:
            _log.warning("what an earlier run left of %s cannot be read; it is made anew", self.stage)
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
        """Keep rows that are final; a resumed run will begin at `upto_s`, or at what `cursor` says."""
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

    def _clear(self) -> None:
        self._store.observations.clear(self.video_id, self.stage)
        self._store.vectors.clear(self.video_id, self.stage)

    def fail(self, reason: str) -> None:
        """Note why the stage stopped; its cursor stays for another try."""
        self._store.stages.fail(self.video_id, self.stage, reason)
