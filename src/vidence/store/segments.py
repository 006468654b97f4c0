"""Shots and scenes, kept per video."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from vidence.schema.catalogue import Granularity
from vidence.schema.observations import Segment
from vidence.store.database import Database

__all__ = ["Segments"]


class Segments:
    """The temporal structure of each video, fine (shots) and coarse (scenes)."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def replace(
        self,
        video_id: str,
        granularity: Granularity,
        segments: Sequence[Segment],
        *,
        connection: sqlite3.Connection | None = None,
    ) -> None:
        """Put `segments` in the place of whatever was kept."""
        rows = [
            (video_id, granularity, position, s.segment_id, s.start_time, s.end_time, s.type, s.transition)
            for position, s in enumerate(segments)
        ]
        with self._db.transaction(connection) as tx:
            tx.execute("DELETE FROM segments WHERE video_id = ? AND granularity = ?", (video_id, granularity))
            tx.executemany("INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def load(self, video_id: str, granularity: Granularity) -> tuple[Segment, ...]:
        """Return the segments in time order; empty when none were kept."""
        with self._db.read() as reader:
            rows = reader.execute(
                "SELECT segment_id, start_time, end_time, type, transition FROM segments "
                "WHERE video_id = ? AND granularity = ? ORDER BY position",
                (video_id, granularity),
            ).fetchall()
        return tuple(Segment.model_validate(dict(row)) for row in rows)
