"""The cache of operation results and the ledger of operation runs."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from vidence.errors import BackendError
from vidence.schema.evidence import OpRecord
from vidence.schema.time import TimeRange
from vidence.store.protocols import Results
from vidence.store.sqlite.database import Database, readable

__all__ = ["SqliteResults", "drop_unused", "hashes_of"]

_MAX_CACHE_ROWS = 20_000
_MAX_CACHE_BYTES = 256 << 20
# Precise enough for eviction, and avoids a write on most reads.
_TOUCH_S = 30.0


@readable
class SqliteResults(Results):
    """Result JSON stored once per content, found by cache key or by the hash in a record."""

    def __init__(
        self,
        db: Database,
        *,
        max_rows: int = _MAX_CACHE_ROWS,
        max_bytes: int = _MAX_CACHE_BYTES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._db = db
        self._max_rows = max_rows
        self._max_bytes = max_bytes
        self._clock = clock

    def cached(self, key: str) -> str | None:
        query = "SELECT body, used_at FROM result_cache JOIN results USING (result_hash) WHERE key = ?"
        row = self._db.row(query, (key,))
        if row is None:
            return None
        now = self._clock()
        if now - row["used_at"] > _TOUCH_S:
            # A full disk must not lose an answer that was found.
            with suppress(BackendError):
                self._db.execute("UPDATE result_cache SET used_at = ? WHERE key = ?", (now, key))
        return str(row["body"])

    def remember(self, key: str, video_id: str | None, operation: str, result_json: str) -> str:
        size_bytes = len(result_json.encode())
        with self._db.transaction() as tx:
            result_hash = _keep(tx, result_json)
            former = tx.execute("SELECT result_hash FROM result_cache WHERE key = ?", (key,)).fetchall()
            tx.execute(
                "INSERT OR REPLACE INTO result_cache "
                "(key, video_id, operation, result_hash, size_bytes, used_at) VALUES (?, ?, ?, ?, ?, ?)",
                (key, video_id, operation, result_hash, size_bytes, self._clock()),
            )
            drop_unused(tx, [row["result_hash"] for row in former])
            self._evict(tx)
        return result_hash

    def forget(self, video_id: str) -> None:
        with self._db.transaction() as tx:
            gone = tx.execute(
                "DELETE FROM result_cache WHERE video_id = ? RETURNING result_hash", (video_id,)
            ).fetchall()
            drop_unused(tx, [row["result_hash"] for row in gone])

    def record(self, record: OpRecord, *, result_json: str | None = None) -> None:
        with self._db.transaction() as tx:
            if result_json is not None and _keep(tx, result_json) != record.result_hash:
                raise ValueError(f"the result given is not the one {record.record_id} names by its hash")
            values = (record.record_id, record.video_id, record.operation, record.result_hash)
            tx.execute(
                "INSERT INTO op_records (record_id, video_id, operation, result_hash, record) "
                "VALUES (?, ?, ?, ?, ?)",
                (*values, record.model_dump_json()),
            )

    def records(
        self,
        *,
        video_id: str | None = None,
        operation: str | None = None,
        within: TimeRange | None = None,
        limit: int = 100,
    ) -> tuple[OpRecord, ...]:
        asked = {"video_id": video_id, "operation": operation}
        wanted: dict[str, object] = {column: value for column, value in asked.items() if value is not None}
        where = "".join(f" AND {column} = :{column}" for column in wanted)
        if within is not None:
            where += " AND json_extract(record, '$.span.start_time') BETWEEN :start AND :end"
            wanted |= {"start": within.start_time, "end": within.end_time}
        rows = self._db.rows(
            f"SELECT record FROM op_records WHERE TRUE{where} ORDER BY position DESC LIMIT :limit",
            {**wanted, "limit": limit},
        )
        return tuple(OpRecord.model_validate_json(row["record"]) for row in rows)

    def get_record(self, record_id: str) -> OpRecord | None:
        row = self._db.row("SELECT record FROM op_records WHERE record_id = ?", (record_id,))
        return None if row is None else OpRecord.model_validate_json(row["record"])

    def result(self, result_hash: str) -> str | None:
        row = self._db.row("SELECT body FROM results WHERE result_hash = ?", (result_hash,))
        return None if row is None else str(row["body"])

    def _evict(self, tx: sqlite3.Connection) -> None:
        rows, size = tx.execute("SELECT count(*), coalesce(sum(size_bytes), 0) FROM result_cache").fetchone()
        if rows <= self._max_rows and size <= self._max_bytes:
            return
        gone = tx.execute(
            "DELETE FROM result_cache WHERE key IN (SELECT key FROM (SELECT key, "
            "count(*) OVER latest AS rows, sum(size_bytes) OVER latest AS bytes FROM result_cache "
            "WINDOW latest AS (ORDER BY used_at DESC, rowid DESC ROWS UNBOUNDED PRECEDING)) "
            "WHERE rows > ? OR bytes > ?) RETURNING result_hash",
            (self._max_rows, self._max_bytes),
        ).fetchall()
        drop_unused(tx, [row["result_hash"] for row in gone])


def hashes_of(tx: sqlite3.Connection, video_id: str) -> list[str]:
    """Return the hashes of every result about a video."""
    rows = tx.execute(
        "SELECT result_hash FROM result_cache WHERE video_id = :video_id "
        "UNION SELECT result_hash FROM op_records WHERE video_id = :video_id",
        {"video_id": video_id},
    ).fetchall()
    return [row["result_hash"] for row in rows]


def drop_unused(tx: sqlite3.Connection, hashes: Iterable[str]) -> None:
    """Delete those of the results that neither the cache nor the ledger refers to."""
    tx.executemany(
        "DELETE FROM results WHERE result_hash = :hash "
        "AND NOT EXISTS (SELECT 1 FROM result_cache WHERE result_hash = :hash) "
        "AND NOT EXISTS (SELECT 1 FROM op_records WHERE result_hash = :hash)",
        [{"hash": result_hash} for result_hash in hashes],
    )


def _keep(tx: sqlite3.Connection, result_json: str) -> str:
    result_hash = hashlib.sha256(result_json.encode()).hexdigest()
    tx.execute("INSERT OR IGNORE INTO results (result_hash, body) VALUES (?, ?)", (result_hash, result_json))
    return result_hash
