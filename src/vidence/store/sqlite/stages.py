"""How far each index stage of each video is, one row per video and stage.

A stage writes its own rows and moves its cursor in one unit of work::

    with store.unit_of_work():
        ...                                             # the stage's rows
        store.stages.advance(video_id, "ocr", progress=0.4, cursor=125.0)
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable

from pydantic import JsonValue

from vidence.errors import BackendError
from vidence.schema.catalogue import StageRow
from vidence.store.protocols import Stages
from vidence.store.sqlite.database import Table, readable

__all__ = ["SqliteStages"]

_VERSION_DIGITS = 12


@readable
class SqliteStages(Table, Stages):
    """The stages of every video in one table."""

    def begin(self, video_id: str, stage: str, fingerprint: str) -> StageRow:
        now = time.time()
        with self._db.transaction() as tx:
            row = self.get(video_id, stage)
            if row is not None and row.fingerprint == fingerprint:
                if row.is_done:
                    return row
                self._update(video_id, stage, "state = 'running', error = NULL, pid = ?", os.getpid())
            else:
                tx.execute(
                    "INSERT OR REPLACE INTO stages VALUES (?, ?, ?, 'running', 0, 'null', NULL, ?, ?, ?)",
                    (video_id, stage, fingerprint, now, now, os.getpid()),
                )
            return self._require(video_id, stage)

    def advance(self, video_id: str, stage: str, *, progress: float, cursor: JsonValue = None) -> None:
        if not 0 <= progress <= 1:
            raise ValueError(f"progress runs from 0 to 1, not {progress!r}")
        body = json.dumps(cursor, allow_nan=False)
        self._update_ours(video_id, stage, "progress = ?, cursor = ?", progress, body)

    def finish(self, video_id: str, stage: str) -> None:
        changes = "state = 'done', progress = 1, cursor = 'null', error = NULL"
        self._update_ours(video_id, stage, changes)

    def fail(self, video_id: str, stage: str, error: str) -> None:
        self._update_ours(video_id, stage, "state = 'failed', error = ?", error)

    def reset(self, video_id: str, stage: str) -> None:
        self._db.execute("DELETE FROM stages WHERE video_id = ? AND stage = ?", (video_id, stage))

    def get(self, video_id: str, stage: str) -> StageRow | None:
        row = self._db.row("SELECT * FROM stages WHERE video_id = ? AND stage = ?", (video_id, stage))
        return None if row is None else _parse(row)

    def all(self, video_id: str) -> tuple[StageRow, ...]:
        rows = self._db.rows("SELECT * FROM stages WHERE video_id = ? ORDER BY stage", (video_id,))
        return tuple(_parse(row) for row in rows)

    def index_version(self, video_id: str, stages: Iterable[str]) -> str:
        asked = set(stages)
        done = sorted(
            f"{row.stage}:{row.fingerprint}"
            for row in self.all(video_id)
            if row.is_done and row.stage in asked
        )
        return hashlib.sha256("\n".join(done).encode()).hexdigest()[:_VERSION_DIGITS]

    def _update_ours(self, video_id: str, stage: str, changes: str, *values: object) -> None:
        # A second run of the same stage takes it over in begin(); its rows must not be mixed with ours.
        with self._db.transaction():
            row = self._require(video_id, stage)
            if row.state != "running" or row.pid != os.getpid():
                raise BackendError(
                    f"Stage {stage!r} of {video_id} was taken over by process {row.pid} (it is {row.state} "
                    "now). Let that one finish."
                )
            self._update(video_id, stage, changes, *values)

    def _require(self, video_id: str, stage: str) -> StageRow:
        row = self.get(video_id, stage)
        if row is None:
            raise BackendError(
                f"Stage {stage!r} of {video_id} is not under way: the video was removed or the stage reset. "
                "Index the video again."
            )
        return row

    def _update(self, video_id: str, stage: str, changes: str, *values: object) -> None:
        self._db.execute(
            f"UPDATE stages SET {changes}, updated_at = ? WHERE video_id = ? AND stage = ?",
            (*values, time.time(), video_id, stage),
        )


def _parse(row: sqlite3.Row) -> StageRow:
    return StageRow.model_validate({**dict(row), "cursor": json.loads(row["cursor"])})
