"""Memories on disk: rows that are corrected by new rows, and a revision that tells processes what is new."""

from __future__ import annotations

import hashlib
import sqlite3
import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from vidence.errors import BackendError, UnknownName, UserError
from vidence.schema.memory import Memory, MemoryState, NewMemory
from vidence.store.database import Database

__all__ = ["Memories", "MemoryRow", "content_digest"]

_KEEP_S = 365.0 * 86_400
"""The most important memory outlives the least important one by so long."""

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class MemoryRow:
    """A memory with what the index needs of it."""

    memory: Memory
    revision: int
    terms: bytes
    model_id: str | None
    vectors: Vectors | None


class Memories:
    """The memories of a workspace, scope by scope."""

    def __init__(self, db: Database, *, clock: Callable[[], float] = time.time) -> None:
        self.db = db
        self._clock = clock
        self.indexes: dict[tuple[str, str], object] = {}
        """What others built over these memories, to live as long as they do."""

    def now(self) -> float:
        """Return the time by this store's clock."""
        return self._clock()

    def add(
        self,
        scope: str,
        new: NewMemory,
        *,
        terms: bytes,
        vectors: Vectors | None = None,
        model_id: str | None = None,
        video_id: str | None = None,
        supersedes: str | None = None,
    ) -> Memory:
        """Write one memory and return it with its id."""
        with self.db.transaction() as tx:
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
                 content_digest(memory.content), memory.model_dump_json(), terms, model_id, _pack(vectors)),
            )  # fmt: skip
        return memory

    def update(self, memory: Memory) -> None:
        """Write a memory's new standing: state, importance, pin or times, never another content."""
        with self.db.transaction() as tx:
            tx.execute(
                "UPDATE memories SET revision = ?, state = ?, pinned = ?, keep_until = ?, body = ? "
                "WHERE scope = ? AND number = ?",
                (self._revise(tx, memory.scope), memory.state, memory.pinned, _keep_until(memory),
                 memory.model_dump_json(), memory.scope, memory.number),
            )  # fmt: skip

    def erase(self, memory: Memory, reason: str) -> Memory:
        """Forget what a memory says; only its id, and that it was forgotten, stay."""
        gone = memory.model_copy(
            update={"content": "", "state": "forgotten", "reason": reason, "metadata": {}, "subject": None,
                    "related_entities": (), "derived_from": ()}
        )  # fmt: skip
        with self.db.transaction() as tx:
            self.update(gone)
            tx.execute(
                "UPDATE memories SET terms = x'', vectors = NULL, digest = '' WHERE scope = ? AND number = ?",
                (memory.scope, memory.number),
            )
        return gone

    def set_vectors(self, memory: Memory, model_id: str, vectors: Vectors) -> None:
        """Give a memory the vectors it was written without."""
        with self.db.transaction() as tx:
            tx.execute(
                "UPDATE memories SET revision = ?, model_id = ?, vectors = ? WHERE scope = ? AND number = ?",
                (self._revise(tx, memory.scope), model_id, _pack(vectors), memory.scope, memory.number),
            )

    def get(self, scope: str, memory_id: str) -> Memory:
        """Return one memory, whatever its state."""
        number = memory_id.removeprefix("mem_")
        with self.db.read() as reader:
            row = reader.execute(
                "SELECT body FROM memories WHERE scope = ? AND number = ?",
                (scope, int(number) if number.isdecimal() and len(number) < 10 else -1),
            ).fetchone()
            if row is None:
                known = [
                    f"mem_{found[0]:03d}"
                    for found in reader.execute(
                        "SELECT number FROM memories WHERE scope = ? ORDER BY number DESC LIMIT 200", (scope,)
                    )
                ]
                raise UnknownName("memory", memory_id, known, remedy="`vidence memory list` shows them.")
        return _read(row["body"])

    def all(self, scope: str, *, state: MemoryState | None = "active") -> list[Memory]:
        """Return the memories of a scope, the oldest first."""
        where = "" if state is None else " AND state = ?"
        with self.db.read() as reader:
            rows = reader.execute(
                f"SELECT body FROM memories WHERE scope = ?{where} ORDER BY position",
                (scope,) if state is None else (scope, state),
            ).fetchall()
        return [_read(row["body"]) for row in rows]

    def changes(self, scope: str, since: int) -> list[MemoryRow]:
        """Return what was written after revision `since`, in the order it was written."""
        with self.db.read() as reader:
            rows = reader.execute(
                "SELECT revision, body, terms, model_id, vectors FROM memories "
                "WHERE scope = ? AND revision > ? ORDER BY position",
                (scope, since),
            ).fetchall()
        return [
            MemoryRow(
                _read(row["body"]),
                row["revision"],
                row["terms"],
                row["model_id"],
                _unpack(row["vectors"], row["body"]),
            )
            for row in rows
        ]

    def terms(self, scope: str, number: int) -> bytes:
        """Return what the index keeps of one memory's words."""
        with self.db.read() as reader:
            row = reader.execute(
                "SELECT terms FROM memories WHERE scope = ? AND number = ?", (scope, number)
            ).fetchone()
        return b"" if row is None else bytes(row[0])

    def positions(self, scope: str, first: int, last: int) -> tuple[int, int]:
        """Return where two memories stand among all; -1 for one that is not there."""
        query = "SELECT position FROM memories WHERE scope = ? AND number = ?"
        with self.db.read() as reader:
            found = [reader.execute(query, (scope, number)).fetchone() for number in (first, last)]
        return tuple(-1 if row is None else int(row[0]) for row in found)  # type: ignore[return-value]

    def revision(self, scope: str) -> int:
        """Return the number of the latest change in a scope; 0 when there was none."""
        with self.db.read() as reader:
            row = reader.execute("SELECT revision FROM memory_scopes WHERE scope = ?", (scope,)).fetchone()
        return int(row[0]) if row else 0

    def same_content(self, scope: str, content: str) -> Memory | None:
        """Return the active memory that says exactly this, if there is one."""
        with self.db.read() as reader:
            row = reader.execute(
                # The + keeps SQLite from walking every active row instead of looking the digest up.
                "SELECT body FROM memories WHERE scope = ? AND digest = ? AND +state = 'active' LIMIT 1",
                (scope, content_digest(content)),
            ).fetchone()
        return None if row is None else _read(row["body"])

    def count(self, scope: str, state: MemoryState = "active") -> int:
        """Return how many memories of a scope are in a state."""
        with self.db.read() as reader:
            row = reader.execute(
                "SELECT count(*) FROM memories WHERE scope = ? AND state = ?", (scope, state)
            ).fetchone()
        return int(row[0])

    def least_kept(self, scope: str) -> Memory | None:
        """Return the memory to forget first: old, unimportant, not pinned, and never the newest."""
        with self.db.read() as reader:
            row = reader.execute(
                "SELECT body FROM memories WHERE scope = :scope AND state = 'active' AND pinned = 0 "
                "AND position < (SELECT max(position) FROM memories WHERE scope = :scope) "
                "ORDER BY keep_until, position LIMIT 1",
                {"scope": scope},
            ).fetchone()
        return None if row is None else _read(row["body"])

    def scopes(self) -> list[str]:
        """Return every scope that has memories."""
        with self.db.read() as reader:
            return [row[0] for row in reader.execute("SELECT scope FROM memory_scopes ORDER BY scope")]

    def save_state(self, scope: str, name: str, version: int, body: str) -> None:
        """Keep something else a scope needs after a restart."""
        with self.db.transaction() as tx:
            tx.execute(
                "INSERT OR REPLACE INTO memory_states VALUES (?, ?, ?, ?, ?)",
                (scope, name, version, body, self._clock()),
            )

    def load_state(self, scope: str, name: str, version: int) -> str | None:
        """Return what `save_state` kept; refuses what a newer vidence wrote."""
        with self.db.read() as reader:
            row = reader.execute(
                "SELECT version, body FROM memory_states WHERE scope = ? AND name = ?", (scope, name)
            ).fetchone()
        if row is None:
            return None
        if row["version"] > version:
            raise UserError(
                f"The saved state {name!r} was written by a newer vidence (version {row['version']}, "
                f"this one reads {version}). Upgrade vidence."
            )
        return str(row["body"])

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


def content_digest(content: str) -> str:
    """Return what two contents share that differ only in case, width and blanks."""
    plain = " ".join(unicodedata.normalize("NFKC", content).casefold().split())
    return hashlib.sha256(plain.encode(errors="replace")).hexdigest()


def _keep_until(memory: Memory) -> float:
    return memory.confirmed_at + memory.importance * _KEEP_S


def _pack(vectors: Vectors | None) -> bytes | None:
    if vectors is None:
        return None
    return len(vectors).to_bytes(2, "little") + vectors.astype(np.float16).tobytes()


def _unpack(body: bytes | None, owner: str) -> Vectors | None:
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
