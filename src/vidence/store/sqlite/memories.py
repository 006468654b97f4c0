"""Memories in SQLite: rows corrected by new rows, and a revision that tells processes what is new."""

from __future__ import annotations

import hashlib
import sqlite3
import time
import unicodedata
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from vidence.errors import BackendError, UnknownName, UserError
from vidence.schema.memory import Memory, MemoryState, NewMemory
from vidence.store.protocols import Floats, Memories, MemoryRow
from vidence.store.sqlite.database import Database, readable

__all__ = ["SqliteMemories"]

_KEEP_S = 365.0 * 86_400
"""How much longer the most important memory is kept than the least important one."""


@readable
class SqliteMemories(Memories):
    """The memories of a workspace in one table, their scopes and revisions in another."""

    def __init__(self, db: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock
        self.indexes: dict[tuple[str, str], object] = {}

    @property
    def folder(self) -> Path:
        return self._db.path.parent / "memory-index"

    def unit_of_work(self) -> AbstractContextManager[object]:
        return self._db.transaction()

    def now(self) -> float:
        return self._clock()

    def add(
        self,
        scope: str,
        new: NewMemory,
        *,
        terms: bytes,
        vectors: Floats | None = None,
        model_id: str | None = None,
        video_id: str | None = None,
        supersedes: str | None = None,
    ) -> Memory:
        with self._db.transaction() as tx:
            number, now = self._claim(tx, scope, video_id)
            said_at = now if new.said_at is None else new.said_at
            memory = Memory(
                **{**dict(new), "said_at": said_at},
                memory_id=f"mem_{number:03d}",
                scope=scope,
                number=number,
                created_at=now,
                confirmed_at=now,
                supersedes=supersedes,
            )
            tx.execute(
                "INSERT INTO memories (scope, number, revision, state, pinned, keep_until, digest, body, "
                "terms, model_id, vectors) VALUES (?, ?, ?, 'active', ?, ?, ?, ?, ?, ?, ?)",
                (scope, number, self._revise(tx, scope), memory.pinned, _keep_until(memory),
                 _digest(memory.content), memory.model_dump_json(), terms, model_id, _pack(vectors)),
            )  # fmt: skip
        return memory

    def update(self, memory: Memory) -> None:
        with self._db.transaction() as tx:
            tx.execute(
                "UPDATE memories SET revision = ?, state = ?, pinned = ?, keep_until = ?, body = ? "
                "WHERE scope = ? AND number = ?",
                (self._revise(tx, memory.scope), memory.state, memory.pinned, _keep_until(memory),
                 memory.model_dump_json(), memory.scope, memory.number),
            )  # fmt: skip

    def erase(self, memory: Memory, reason: str) -> Memory:
        gone = memory.model_copy(
            update={"content": "", "state": "forgotten", "reason": reason, "metadata": {}, "subject": None,
                    "related_entities": (), "derived_from": ()}
        )  # fmt: skip
        with self._db.transaction() as tx:
            self.update(gone)
            tx.execute(
                "UPDATE memories SET terms = x'', vectors = NULL, digest = '' WHERE scope = ? AND number = ?",
                (memory.scope, memory.number),
            )
        return gone

    def set_vectors(self, memory: Memory, model_id: str, vectors: Floats) -> None:
        with self._db.transaction() as tx:
            tx.execute(
                "UPDATE memories SET revision = ?, model_id = ?, vectors = ? WHERE scope = ? AND number = ?",
                (self._revise(tx, memory.scope), model_id, _pack(vectors), memory.scope, memory.number),
            )

    def get(self, scope: str, memory_id: str) -> Memory:
        number = memory_id.removeprefix("mem_")
        at = int(number) if number.isdecimal() and len(number) < 10 else -1
        memory = self._one("number = :number", scope=scope, number=at)
        if memory is None:
            query = "SELECT number FROM memories WHERE scope = ? ORDER BY number DESC LIMIT 200"
            known = [f"mem_{row[0]:03d}" for row in self._db.rows(query, (scope,))]
            raise UnknownName("memory", memory_id, known, remedy="`vidence memory list` shows them.")
        return memory

    def all(self, scope: str, *, state: MemoryState | None = "active") -> list[Memory]:
        where = "" if state is None else " AND state = :state"
        query = f"SELECT body FROM memories WHERE scope = :scope{where} ORDER BY position"
        return [_read(row["body"]) for row in self._db.rows(query, {"scope": scope, "state": state})]

    def changes(self, scope: str, since: int) -> list[MemoryRow]:
        rows = self._db.rows(
            "SELECT body, revision, terms, model_id, vectors FROM memories "
            "WHERE scope = ? AND revision > ? ORDER BY position",
            (scope, since),
        )
        return [
            MemoryRow(_read(body), revision, terms, model_id, _unpack(vectors, body))
            for body, revision, terms, model_id, vectors in rows
        ]

    def terms(self, scope: str, number: int) -> bytes:
        row = self._db.row("SELECT terms FROM memories WHERE scope = ? AND number = ?", (scope, number))
        return b"" if row is None else bytes(row[0])

    def positions(self, scope: str, first: int, last: int) -> tuple[int, int]:
        query = "SELECT position FROM memories WHERE scope = ? AND number = ?"
        start, end = (self._db.row(query, (scope, number)) for number in (first, last))
        return int(start[0]) if start else -1, int(end[0]) if end else -1

    def revision(self, scope: str) -> int:
        row = self._db.row("SELECT revision FROM memory_scopes WHERE scope = ?", (scope,))
        return int(row[0]) if row else 0

    def same_content(self, scope: str, content: str) -> Memory | None:
        # The + makes SQLite use the index on the digest instead of scanning every active row.
        return self._one("digest = :digest AND +state = 'active'", scope=scope, digest=_digest(content))

    def count(self, scope: str, state: MemoryState = "active") -> int:
        query = "SELECT count(*) FROM memories WHERE scope = ? AND state = ?"
        return int(self._db.rows(query, (scope, state))[0][0])

    def least_kept(self, scope: str) -> Memory | None:
        return self._one(
            "state = 'active' AND pinned = 0 "
            "AND position < (SELECT max(position) FROM memories WHERE scope = :scope) "
            "ORDER BY keep_until, position",
            scope=scope,
        )

    def scopes(self) -> list[str]:
        return [row[0] for row in self._db.rows("SELECT scope FROM memory_scopes ORDER BY scope")]

    def save_state(self, scope: str, name: str, version: int, body: str) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO memory_states VALUES (?, ?, ?, ?, ?)",
            (scope, name, version, body, self._clock()),
        )

    def load_state(self, scope: str, name: str, version: int) -> str | None:
        query = "SELECT version, body FROM memory_states WHERE scope = ? AND name = ?"
        row = self._db.row(query, (scope, name))
        if row is None:
            return None
        if row["version"] > version:
            raise UserError(
                f"The saved state {name!r} was written by a newer vidence (version {row['version']}, "
                f"this one reads {version}). Upgrade vidence."
            )
        return str(row["body"])

    def _one(self, condition: str, **values: object) -> Memory | None:
        row = self._db.row(f"SELECT body FROM memories WHERE scope = :scope AND {condition} LIMIT 1", values)
        return None if row is None else _read(row["body"])

    def _claim(self, tx: sqlite3.Connection, scope: str, video_id: str | None) -> tuple[int, float]:
        tx.execute("INSERT OR IGNORE INTO memory_scopes (scope, video_id) VALUES (?, ?)", (scope, video_id))
        # A clock that was set back must not make the newest memory look old.
        row = tx.execute(
            "UPDATE memory_scopes SET next_number = next_number + 1, latest_at = max(latest_at, ?) "
            "WHERE scope = ? RETURNING next_number - 1, latest_at",
            (self._clock(), scope),
        ).fetchone()
        return int(row[0]), float(row[1])

    @staticmethod
    def _revise(tx: sqlite3.Connection, scope: str) -> int:
        row = tx.execute(
            "UPDATE memory_scopes SET revision = revision + 1 WHERE scope = ? RETURNING revision", (scope,)
        ).fetchone()
        return int(row[0])


def _digest(content: str) -> str:
    """Return a digest that ignores case, width and blanks."""
    plain = " ".join(unicodedata.normalize("NFKC", content).casefold().split())
    return hashlib.sha256(plain.encode(errors="replace")).hexdigest()


def _keep_until(memory: Memory) -> float:
    return memory.confirmed_at + memory.importance * _KEEP_S


def _pack(vectors: Floats | None) -> bytes | None:
    if vectors is None:
        return None
    return len(vectors).to_bytes(2, "little") + vectors.astype(np.float16).tobytes()


def _unpack(body: bytes | None, owner: str) -> Floats | None:
    if body is None:
        return None
    number = int.from_bytes(body[:2], "little")
    try:
        return np.frombuffer(body, np.float16, offset=2).reshape(number, -1).astype(np.float32)
    except ValueError as exc:
        raise BackendError(
            f"The vectors of a memory are damaged ({owner[:60]}…). Forget it and add it again."
        ) from exc


def _read(body: str) -> Memory:
    try:
        return Memory.model_validate_json(body)
    except ValidationError as exc:
        raise BackendError(
            "A stored memory cannot be read: damaged, or from a newer vidence. Upgrade, or restore a backup."
        ) from exc
