"""What the index stages saw and heard, kept per video and stage in time order."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from vidence.schema.observations import Observation
from vidence.schema.time import TimeRange
from vidence.store.database import Database

__all__ = ["Observations", "VectorRow", "Vectors"]

_Kind = TypeVar("_Kind", bound=Observation)


class Observations:
    """Rows of every stage; a stage appends in time order and may start over."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def append(
        self,
        video_id: str,
        stage: str,
        rows: Sequence[Observation],
        *,
        connection: sqlite3.Connection | None = None,
    ) -> None:
        """Add rows after those already kept."""
        with self._db.transaction(connection) as tx:
            start = _next_position(tx, "observations", video_id, stage)
            tx.executemany(
                "INSERT INTO observations VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (video_id, stage, start + n, row.start_time, row.end_time, row.model_dump_json())
                    for n, row in enumerate(rows)
                ],
            )

    def load(
        self, video_id: str, stage: str, kind: type[_Kind], *, span: TimeRange | None = None
    ) -> list[_Kind]:
        """Return the rows of a stage, or those that touch `span`, in time order."""
        where, values = _touching(span)
        with self._db.read() as reader:
            rows = reader.execute(
                f"SELECT body FROM observations WHERE video_id = ? AND stage = ?{where} "
                "ORDER BY start_time, position",
                (video_id, stage, *values),
            ).fetchall()
        return [kind.model_validate_json(row["body"]) for row in rows]

    def at(self, video_id: str, stage: str, kind: type[_Kind], time_s: float) -> _Kind | None:
        """Return the last row that begins no later than `time_s`, else the first; None when there is none."""
        query = (
            "SELECT body FROM observations WHERE video_id = ? AND stage = ? "
            "ORDER BY start_time > ?, CASE WHEN start_time > ? THEN start_time ELSE -start_time END LIMIT 1"
        )
        with self._db.read() as reader:
            row = reader.execute(query, (video_id, stage, time_s, time_s)).fetchone()
        return None if row is None else kind.model_validate_json(row["body"])

    def clear(self, video_id: str, stage: str, *, connection: sqlite3.Connection | None = None) -> None:
        """Forget every row of a stage."""
        with self._db.transaction(connection) as tx:
            tx.execute("DELETE FROM observations WHERE video_id = ? AND stage = ?", (video_id, stage))


@dataclass(frozen=True)
class VectorRow:
    """One vector and what it stands for."""

    start_time: float
    end_time: float
    label: str
    vector: NDArray[np.float32]


class Vectors:
    """Embeddings of every stage, as float16."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def append(
        self,
        video_id: str,
        stage: str,
        rows: Sequence[VectorRow],
        *,
        connection: sqlite3.Connection | None = None,
    ) -> None:
        """Add vectors after those already kept."""
        with self._db.transaction(connection) as tx:
            start = _next_position(tx, "vectors", video_id, stage)
            tx.executemany(
                "INSERT INTO vectors VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (video_id, stage, start + n, row.start_time, row.end_time, row.label, len(row.vector),
                     row.vector.astype(np.float16).tobytes())
                    for n, row in enumerate(rows)
                ],
            )  # fmt: skip

    def load(self, video_id: str, stage: str, *, span: TimeRange | None = None) -> list[VectorRow]:
        """Return the vectors of a stage, or those that touch `span`, in time order."""
        where, values = _touching(span)
        with self._db.read() as reader:
            rows = reader.execute(
                "SELECT start_time, end_time, label, body FROM vectors "
                f"WHERE video_id = ? AND stage = ?{where} ORDER BY start_time, position",
                (video_id, stage, *values),
            ).fetchall()
        return [
            VectorRow(
                row["start_time"],
                row["end_time"],
                row["label"],
                np.frombuffer(row["body"], np.float16).astype(np.float32),
            )
            for row in rows
        ]

    def clear(self, video_id: str, stage: str, *, connection: sqlite3.Connection | None = None) -> None:
        """Forget every vector of a stage."""
        with self._db.transaction(connection) as tx:
            tx.execute("DELETE FROM vectors WHERE video_id = ? AND stage = ?", (video_id, stage))


def _touching(span: TimeRange | None) -> tuple[str, tuple[float, ...]]:
    if span is None:
        return "", ()
    return " AND start_time < ? AND end_time > ?", (span.end_time, span.start_time)


def _next_position(tx: sqlite3.Connection, table: str, video_id: str, stage: str) -> int:
    row = tx.execute(
        f"SELECT COALESCE(MAX(position) + 1, 0) FROM {table} WHERE video_id = ? AND stage = ?",
        (video_id, stage),
    ).fetchone()
    return int(row[0])
