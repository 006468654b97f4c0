"""What is known of each video: its segments, the observations of its stages, and its entities."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence

from vidence.errors import UnknownName
from vidence.schema.catalogue import Granularity
from vidence.schema.entities import Entity
from vidence.schema.observations import Observation, Segment
from vidence.schema.time import TimeRange
from vidence.store.protocols import Entities, Observations, Row, Segments
from vidence.store.sqlite.database import Table, readable

__all__ = ["SqliteEntities", "SqliteObservations", "SqliteSegments", "next_position", "overlapping"]


@readable
class SqliteSegments(Table, Segments):
    """Shots and scenes, numbered in time order."""

    def replace(self, video_id: str, granularity: Granularity, segments: Sequence[Segment]) -> None:
        rows = [
            (video_id, granularity, position, s.segment_id, s.start_time, s.end_time, s.type, s.transition)
            for position, s in enumerate(segments)
        ]
        with self._db.transaction() as tx:
            tx.execute("DELETE FROM segments WHERE video_id = ? AND granularity = ?", (video_id, granularity))
            tx.executemany("INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def load(self, video_id: str, granularity: Granularity) -> tuple[Segment, ...]:
        rows = self._db.rows(
            "SELECT segment_id, start_time, end_time, type, transition FROM segments "
            "WHERE video_id = ? AND granularity = ? ORDER BY position",
            (video_id, granularity),
        )
        return tuple(Segment.model_validate(dict(row)) for row in rows)


@readable
class SqliteObservations(Table, Observations):
    """The rows of all stages in one table, as JSON."""

    def append(self, video_id: str, stage: str, rows: Sequence[Observation]) -> None:
        with self._db.transaction() as tx:
            start = next_position(tx, "observations", video_id, stage)
            tx.executemany(
                "INSERT INTO observations VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (video_id, stage, start + n, row.start_time, row.end_time, row.model_dump_json())
                    for n, row in enumerate(rows)
                ],
            )

    def load(self, video_id: str, stage: str, kind: type[Row], *, span: TimeRange | None = None) -> list[Row]:
        where, values = overlapping(span)
        rows = self._db.rows(
            f"SELECT body FROM observations WHERE video_id = ? AND stage = ?{where} "
            "ORDER BY start_time, position",
            (video_id, stage, *values),
        )
        return [kind.model_validate_json(row["body"]) for row in rows]

    def at(self, video_id: str, stage: str, kind: type[Row], time_s: float) -> Row | None:
        row = self._db.row(
            "SELECT body FROM observations WHERE video_id = ? AND stage = ? "
            "ORDER BY start_time > ?, CASE WHEN start_time > ? THEN start_time ELSE -start_time END LIMIT 1",
            (video_id, stage, time_s, time_s),
        )
        return None if row is None else kind.model_validate_json(row["body"])

    def clear(self, video_id: str, stage: str) -> None:
        self._db.execute("DELETE FROM observations WHERE video_id = ? AND stage = ?", (video_id, stage))

    def videos_naming(self, words: str, stages: Sequence[str], *, limit: int) -> list[str]:
        pattern = "%" + "".join(f"\\{char}" if char in "%_\\" else char for char in words) + "%"
        marks = ", ".join("?" for _ in stages)
        rows = self._db.rows(
            f"SELECT video_id FROM observations WHERE stage IN ({marks}) AND body LIKE ? ESCAPE '\\' "
            "GROUP BY video_id ORDER BY COUNT(*) DESC LIMIT ?",
            (*stages, pattern, limit),
        )
        return [row["video_id"] for row in rows]


@readable
class SqliteEntities(Table, Entities):
    """The entities of every video, numbered from ent_001."""

    def add(self, video_id: str, make: Callable[[str], Entity]) -> Entity:
        with self._db.transaction() as tx:
            query = "SELECT COALESCE(MAX(number), 0) + 1 FROM entities WHERE video_id = ?"
            number = int(tx.execute(query, (video_id,)).fetchone()[0])
            entity = make(f"ent_{number:03d}")
            tx.execute(
                "INSERT INTO entities VALUES (?, ?, ?, ?)",
                (video_id, number, entity.model_dump_json(), time.time()),
            )
        return entity

    def all(self, video_id: str) -> list[Entity]:
        rows = self._db.rows("SELECT body FROM entities WHERE video_id = ? ORDER BY number", (video_id,))
        return [Entity.model_validate_json(row["body"]) for row in rows]

    def get(self, video_id: str, entity_id: str) -> Entity:
        known = {entity.entity_id: entity for entity in self.all(video_id)}
        if entity_id in known:
            return known[entity_id]
        listed = ", ".join(f"{one.entity_id} ({one.description})" for one in list(known.values())[:10])
        remedy = (
            f"Registered in this video: {listed}." if known else "Register one with register_entity first."
        )
        raise UnknownName("entity", entity_id, known, remedy=remedy)


def overlapping(span: TimeRange | None) -> tuple[str, tuple[float, ...]]:
    """Return the condition that a row overlaps `span`, and its values."""
    if span is None:
        return "", ()
    return " AND start_time < ? AND end_time > ?", (span.end_time, span.start_time)


def next_position(tx: sqlite3.Connection, table: str, video_id: str, stage: str) -> int:
    """Return the position after the last row of a stage."""
    row = tx.execute(
        f"SELECT COALESCE(MAX(position) + 1, 0) FROM {table} WHERE video_id = ? AND stage = ?",
        (video_id, stage),
    ).fetchone()
    return int(row[0])
