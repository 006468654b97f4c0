"""How far each index stage of each video is, so that a killed run resumes where it stopped.

A stage writes its own rows and moves its cursor in one transaction::

    with db.transaction() as tx:
        ...                                             # the stage's rows
        stages.advance(video_id, "ocr", progress=0.4, cursor=125.0, connection=tx)
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
from vidence.store.database import Database

__all__ = ["Stages"]

_VERSION_DIGITS = 12


class Stages:
    """The state of every stage, one row per video and stage."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def begin(
        self, video_id: str, stage: str, fingerprint: str, *, connection: sqlite3.Connection | None = None
    ) -> StageRow:
        """Take up a stage and return its row.

        Done with the same fingerprint: returned as it is, nothing to do. Unfinished with the same
        fingerprint: resumes from its cursor. Anything else starts afresh, with no cursor.
        """
        now = time.time()
        with self._db.transaction(connection) as tx:
            row = self.get(video_id, stage)
            if row is not None and row.fingerprint == fingerprint:
                if row.is_done:
                    return row
                self._update(tx, video_id, stage, "state = 'running', error = NULL, pid = ?", os.getpid())
            else:
                tx.execute(
                    "INSERT OR REPLACE INTO stages VALUES (?, ?, ?, 'running', 0, 'null', NULL, ?, ?, ?)",
                    (video_id, stage, fingerprint, now, now, os.getpid()),
                )
            return self._require(video_id, stage)

    def advance(
        self,
        video_id: str,
        stage: str,
        *,
        progress: float,
        cursor: JsonValue = None,
        connection: sqlite3.Connection | None = None,
    ) -> None:
        """Note how far the stage is (0 to 1) and where to resume it."""
        if not 0 <= progress <= 1:
            raise ValueError(f"progress runs from 0 to 1, not {progress!r}")
        with self._db.transaction(connection) as tx:
            self._check_ours(video_id, stage)
            self._update(
                tx, video_id, stage, "progress = ?, cursor = ?", progress, json.dumps(cursor, allow_nan=False)
            )

    def finish(self, video_id: str, stage: str, *, connection: sqlite3.Connection | None = None) -> None:
        """Mark the stage as done."""
        with self._db.transaction(connection) as tx:
            self._check_ours(video_id, stage)
            self._update(tx, video_id, stage, "state = 'done', progress = 1, cursor = 'null', error = NULL")

    def fail(
        self, video_id: str, stage: str, error: str, *, connection: sqlite3.Connection | None = None
    ) -> None:
        """Mark the stage as failed, keeping its cursor for another try."""
        with self._db.transaction(connection) as tx:
            self._check_ours(video_id, stage)
            self._update(tx, video_id, stage, "state = 'failed', error = ?", error)

    def reset(self, video_id: str, stage: str, *, connection: sqlite3.Connection | None = None) -> None:
        """Forget that the stage was ever begun."""
        with self._db.transaction(connection) as tx:
            tx.execute("DELETE FROM stages WHERE video_id = ? AND stage = ?", (video_id, stage))

    def get(self, video_id: str, stage: str) -> StageRow | None:
        """Return the stage's row, or None when it was never begun."""
        with self._db.read() as reader:
            row = reader.execute(
                "SELECT * FROM stages WHERE video_id = ? AND stage = ?", (video_id, stage)
            ).fetchone()
        return None if row is None else _parse(row)

    def all(self, video_id: str) -> tuple[StageRow, ...]:
        """Return every stage of a video, by name."""
        with self._db.read() as reader:
            rows = reader.execute(
                "SELECT * FROM stages WHERE video_id = ? ORDER BY stage", (video_id,)
            ).fetchall()
        return tuple(_parse(row) for row in rows)

    def index_version(self, video_id: str, stages: Iterable[str]) -> str:
        """Name what the finished ones of `stages` were made with; it changes when any of them does."""
        asked = set(stages)
        done = sorted(
            f"{row.stage}:{row.fingerprint}"
            for row in self.all(video_id)
            if row.is_done and row.stage in asked
        )
        return hashlib.sha256("\n".join(done).encode()).hexdigest()[:_VERSION_DIGITS]

    def _check_ours(self, video_id: str, stage: str) -> None:
        # A second run of the same stage takes it over in begin(); its rows must not be mixed with ours.
        row = self._require(video_id, stage)
        if row.state != "running" or row.pid != os.getpid():
            raise BackendError(
                f"Stage {stage!r} of {video_id} was taken over by process {row.pid} (it is {row.state} now). "
                "Let that one finish."
            )

    def _require(self, video_id: str, stage: str) -> StageRow:
        row = self.get(video_id, stage)
        if row is None:
            raise BackendError(
                f"Stage {stage!r} of {video_id} is not under way: the video was removed or the stage reset. "
                "Index the video again."
            )
        return row

    @staticmethod
    def _update(tx: sqlite3.Connection, video_id: str, stage: str, changes: str, *values: object) -> None:
        tx.execute(
            f"UPDATE stages SET {changes}, updated_at = ? WHERE video_id = ? AND stage = ?",
            (*values, time.time(), video_id, stage),
        )


def _parse(row: sqlite3.Row) -> StageRow:
    return StageRow.model_validate({**dict(row), "cursor": json.loads(row["cursor"])})
