"""Stories in SQLite: their chapters, what was computed from each, and the graph."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Iterable, Sequence

from vidence.errors import UnknownName
from vidence.schema.story import Chapter, ChapterHead, MajorEvent, StoryEntity, StoryGraph, StoryRelation
from vidence.store.sqlite.database import Table, readable
from vidence.store.stories import GraphStore, Stories

__all__ = ["SqliteGraph", "SqliteStories"]

_ANYBODY = ""
"""The owner of the row that holds an event once, whoever takes part in it."""
_AT_ONCE = 500


@readable
class SqliteStories(Table, Stories):
    """The chapters of every story, their texts compressed."""

    def names(self) -> list[str]:
        return [row["name"] for row in self._db.rows("SELECT name FROM stories ORDER BY created_at, name")]

    def begin(self, story: str) -> None:
        self._db.execute(
            "INSERT OR IGNORE INTO stories (name, created_at) VALUES (?, ?)", (story, time.time())
        )

    def remove(self, story: str) -> None:
        self._known(story)
        self._db.execute("DELETE FROM stories WHERE name = ?", (story,))

    def documents(self, story: str) -> list[str]:
        self._known(story)
        query = "SELECT document FROM story_documents WHERE story = ? ORDER BY position"
        return [row["document"] for row in self._db.rows(query, (story,))]

    def replace_document(self, story: str, document: str, chapters: Sequence[Chapter]) -> int:
        with self._db.transaction() as tx:
            tx.execute(
                "INSERT OR IGNORE INTO story_documents VALUES (?, ?, "
                "(SELECT coalesce(max(position), 0) + 1 FROM story_documents WHERE story = ?))",
                (story, document, story),
            )
            known = dict(
                tx.execute(
                    "SELECT chapter_index, sha256 FROM story_chapters WHERE story = ? AND document = ?",
                    (story, document),
                ).fetchall()
            )
            tx.execute(
                "DELETE FROM story_chapters WHERE story = ? AND document = ? AND chapter_index >= ?",
                (story, document, len(chapters)),
            )
            changed = [one for one in chapters if known.get(one.index) != one.sha256]
            tx.executemany(
                "INSERT OR REPLACE INTO story_chapters VALUES (?, ?, ?, ?, ?, ?, ?)",
                ((story, document, one.index, one.sha256, one.num_chars, _head(one), _pack(one))
                 for one in changed),
            )  # fmt: skip
        return len(changed)

    def heads(self, story: str) -> list[ChapterHead]:
        self._known(story)
        rows = self._db.rows(
            "SELECT head FROM story_chapters JOIN story_documents USING (story, document) "
            "WHERE story = ? ORDER BY position, chapter_index",
            (story,),
        )
        return [
            ChapterHead(**{**json.loads(row["head"]), "number": number})
            for number, row in enumerate(rows, start=1)
        ]

    def chapter(self, story: str, head: ChapterHead) -> Chapter:
        row = self._db.row(
            "SELECT body FROM story_chapters WHERE story = ? AND document = ? AND chapter_index = ?",
            (story, head.document, head.index),
        )
        if row is None:
            raise UnknownName("chapter", head.label)
        return Chapter(**{**dict(head), **json.loads(zlib.decompress(row["body"]))})

    def save(self, story: str, kind: str, key: str, fingerprint: str, body: bytes) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO story_artifacts VALUES (?, ?, ?, ?, ?)",
            (story, kind, key, fingerprint, body),
        )

    def load(self, story: str, kind: str, key: str) -> tuple[str, bytes] | None:
        query = "SELECT fingerprint, body FROM story_artifacts WHERE story = ? AND kind = ? AND key = ?"
        row = self._db.row(query, (story, kind, key))
        return None if row is None else (str(row["fingerprint"]), bytes(row["body"]))

    def keys(self, story: str, kind: str) -> list[str]:
        query = "SELECT key FROM story_artifacts WHERE story = ? AND kind = ? ORDER BY key"
        return [row["key"] for row in self._db.rows(query, (story, kind))]

    def prune(self, story: str, kind: str, kept: Iterable[str]) -> None:
        query = "SELECT key FROM story_artifacts WHERE story = ? AND kind = ?"
        with self._db.transaction() as tx:
            gone = {row["key"] for row in tx.execute(query, (story, kind))} - set(kept)
            tx.executemany(
                "DELETE FROM story_artifacts WHERE story = ? AND kind = ? AND key = ?",
                ((story, kind, key) for key in gone),
            )

    def built(self, story: str) -> str:
        row = self._db.row("SELECT built FROM stories WHERE name = ?", (story,))
        return "" if row is None else str(row["built"])

    def mark_built(self, story: str, revision: str) -> None:
        self._db.execute("UPDATE stories SET built = ? WHERE name = ?", (revision, story))

    def _known(self, story: str) -> None:
        names = self.names()
        if story not in names:
            raise UnknownName("story", story, names, remedy="`vidence story list` shows them.")


@readable
class SqliteGraph(Table, GraphStore):
    """The graphs of all stories as rows with an index on each end of an edge."""

    name = "sqlite"

    def write(self, story: str, graph: StoryGraph) -> None:
        with self._db.transaction() as tx:
            self.remove(story)
            tx.executemany(
                "INSERT INTO graph_nodes VALUES (?, ?, ?, ?)",
                ((story, one.entity_id, one.mentions, one.model_dump_json()) for one in graph.entities),
            )
            tx.executemany(
                "INSERT OR IGNORE INTO graph_names VALUES (?, ?, ?)",
                ((story, name.casefold(), one.entity_id)
                 for one in graph.entities for name in (one.name, *one.aliases)),
            )  # fmt: skip
            tx.executemany(
                "INSERT INTO graph_edges VALUES (?, ?, ?, ?, ?)",
                ((story, one.relation_id, one.source, one.target, one.model_dump_json())
                 for one in graph.relations),
            )  # fmt: skip
            tx.executemany(
                "INSERT INTO graph_events VALUES (?, ?, ?, ?)",
                ((story, one.order, who, one.model_dump_json())
                 for one in graph.events for who in (_ANYBODY, *dict.fromkeys(one.people))),
            )  # fmt: skip

    def remove(self, story: str) -> None:
        with self._db.transaction() as tx:
            for table in ("graph_nodes", "graph_names", "graph_edges", "graph_events"):
                tx.execute(f"DELETE FROM {table} WHERE story = ?", (story,))

    def entities(self, story: str) -> list[StoryEntity]:
        query = "SELECT body FROM graph_nodes WHERE story = ? ORDER BY mentions DESC, entity_id"
        return [StoryEntity.model_validate_json(row["body"]) for row in self._db.rows(query, (story,))]

    def named(self, story: str, name: str) -> list[StoryEntity]:
        rows = self._db.rows(
            "SELECT body FROM graph_names JOIN graph_nodes USING (story, entity_id) "
            "WHERE story = ? AND name = ? ORDER BY mentions DESC, entity_id",
            (story, name.strip().casefold()),
        )
        return [StoryEntity.model_validate_json(row["body"]) for row in rows]

    def relations(self, story: str, entity_ids: Sequence[str]) -> list[StoryRelation]:
        found: dict[str, str] = {}
        for first in range(0, len(entity_ids), _AT_ONCE):
            chunk = list(entity_ids[first : first + _AT_ONCE])
            marks = ", ".join("?" * len(chunk))
            for end in ("source", "target"):
                query = f"SELECT relation_id, body FROM graph_edges WHERE story = ? AND {end} IN ({marks})"
                found |= {row["relation_id"]: row["body"] for row in self._db.rows(query, (story, *chunk))}
        return [StoryRelation.model_validate_json(found[key]) for key in sorted(found)]

    def events(self, story: str, entity_id: str | None = None) -> list[MajorEvent]:
        query = "SELECT body FROM graph_events WHERE story = ? AND entity_id = ? ORDER BY position"
        rows = self._db.rows(query, (story, _ANYBODY if entity_id is None else entity_id))
        return [MajorEvent.model_validate_json(row["body"]) for row in rows]


def _head(chapter: Chapter) -> str:
    return json.dumps(chapter.model_dump(exclude={"text", "moments"}), ensure_ascii=False)


def _pack(chapter: Chapter) -> bytes:
    body = chapter.model_dump(include={"text", "moments"})
    return zlib.compress(json.dumps(body, ensure_ascii=False).encode())
