"""The SQLite file under a workspace: connections, transactions, and errors in plain words."""

from __future__ import annotations

import random
import sqlite3
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from vidence.errors import BackendError
from vidence.store.connections import Handle, Mode, Pool
from vidence.store.faults import disk_fault, is_busy, sqlite_fault
from vidence.store.migrate import migrate, next_migration, shipped_migrations

__all__ = ["Database"]

# Short, so that Ctrl-C is heard while waiting; the retry loop makes up the patience.
_BUSY_TIMEOUT_S = 2.0
_PATIENCE_S = 90.0

_Result = TypeVar("_Result")


class Database:
    """One SQLite file in WAL mode, open to many threads and processes at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._pool = Pool(path, lambda: _connect(path))
        self._finalizer = weakref.finalize(self, self._pool.close)

    @classmethod
    def open(cls, path: Path) -> Database:
        """Open the database at `path`, making it or bringing it up to date as needed."""
        path = path.absolute()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as exc:
            raise disk_fault(exc, path.parent) from exc
        database = cls(path)
        try:
            with database._entered("write") as handle:
                _patiently(lambda: _prepare(handle.connection, path))
        except BaseException:
            database.close()
            raise
        return database

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Give a connection whose reads all see the same moment."""
        with self._entered("read") as handle:
            if handle.depth > 1:
                yield handle.connection
                return
            handle.connection.execute("BEGIN")
            # BEGIN alone locks nothing; it is the first read that meets whoever opens or closes the file.
            _patiently(lambda: handle.connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone())
            yield handle.connection

    @contextmanager
    def transaction(self, connection: sqlite3.Connection | None = None) -> Iterator[sqlite3.Connection]:
        """Give a connection whose writes all happen or none does.

        Inside another transaction of the same thread it is a part of that one: undone alone when it fails,
        kept only when the outer one is. `connection`, where given, says which outer one is meant.
        """
        with self._entered("write") as handle:
            if connection is not None and connection is not handle.connection:
                raise RuntimeError("a transaction is joined from the thread that began it")
            if handle.mode == "read":
                raise RuntimeError("a transaction cannot begin inside a read; open the transaction first")
            if handle.depth > 1:
                with _savepoint(handle.connection, f"level_{handle.depth}"):
                    yield handle.connection
                return
            _patiently(lambda: handle.connection.execute("BEGIN IMMEDIATE"))
            yield handle.connection
            handle.check_process()
            handle.connection.execute("COMMIT")

    def close(self) -> None:
        """Close every connection of every thread."""
        self._finalizer()

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _entered(self, mode: Mode) -> Iterator[Handle]:
        try:
            handle = self._pool.enter(mode)
            try:
                yield handle
            finally:
                try:
                    _undo_unfinished(handle)
                finally:
                    self._pool.leave(handle)
        except sqlite3.Error as exc:
            if not self._finalizer.alive:
                raise BackendError(f"The database {self.path} was closed while in use.") from exc
            raise sqlite_fault(exc, self.path) from exc


def _connect(path: Path) -> sqlite3.Connection:
    # Each thread keeps to its own connection; the check is off so that close() may close them all.
    connection = sqlite3.connect(
        path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False, cached_statements=256
    )
    connection.row_factory = sqlite3.Row
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        # Reads the schema, and so waits for whoever has the whole file at this moment.
        _patiently(lambda: connection.execute("PRAGMA synchronous = NORMAL"))
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    # Looked at before the first write: another program's file must stay as it is.
    next_migration(connection, path, shipped_migrations())
    connection.execute("PRAGMA journal_mode = WAL").fetchone()
    migrate(connection, path, shipped_migrations())


def _undo_unfinished(handle: Handle) -> None:
    # Whatever went wrong, be it Ctrl-C right after BEGIN, no lock outlives the outermost block.
    if handle.depth == 1 and handle.is_ours and handle.connection.in_transaction:
        handle.connection.execute("ROLLBACK")


@contextmanager
def _savepoint(connection: sqlite3.Connection, name: str) -> Iterator[None]:
    connection.execute(f"SAVEPOINT {name}")
    try:
        yield
    except BaseException:
        # A full disk makes SQLite roll back everything by itself; then there is nothing left to undo.
        if connection.in_transaction:
            connection.execute(f"ROLLBACK TO {name}")
            connection.execute(f"RELEASE {name}")
        raise
    connection.execute(f"RELEASE {name}")


def _patiently(action: Callable[[], _Result]) -> _Result:
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return action()
        except sqlite3.OperationalError as exc:
            if not is_busy(exc) or time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(0.005, 0.05))
