"""Registered entities: lasting names for things in a video, numbered from ent_001."""

from __future__ import annotations

import time
from collections.abc import Callable

from vidence.errors import UnknownName
from vidence.schema.entities import Entity
from vidence.store.database import Database

__all__ = ["Entities"]


class Entities:
    """The entities of every video; their ids never change and are never given again."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, video_id: str, make: Callable[[str], Entity]) -> Entity:
        """Keep what `make` builds for the next free id; two processes never get the same one."""
        with self._db.transaction() as tx:
            row = tx.execute(
                "SELECT COALESCE(MAX(number), 0) + 1 FROM entities WHERE video_id = ?", (video_id,)
            ).fetchone()
            entity = make(f"ent_{int(row[0]):03d}")
            tx.execute(
                "INSERT INTO entities VALUES (?, ?, ?, ?)",
                (video_id, int(row[0]), entity.model_dump_json(), time.time()),
            )
        return entity

    def all(self, video_id: str) -> list[Entity]:
        """Return every entity of a video, the oldest first."""
        with self._db.read() as reader:
            rows = reader.execute(
                "SELECT body FROM entities WHERE video_id = ? ORDER BY number", (video_id,)
            ).fetchall()
        return [Entity.model_validate_json(row["body"]) for row in rows]

    def get(self, video_id: str, entity_id: str) -> Entity:
        """Return one entity, or say which there are."""
        known = {entity.entity_id: entity for entity in self.all(video_id)}
        if entity_id in known:
            return known[entity_id]
        listed = ", ".join(f"{one.entity_id} ({one.description})" for one in list(known.values())[:10])
        remedy = (
            f"Registered in this video: {listed}." if known else "Register one with register_entity first."
        )
        raise UnknownName("entity", entity_id, known, remedy=remedy)
