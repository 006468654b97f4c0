"""The SQLite file under a workspace: connections, transactions, and errors in plain words."""

from __future__ import annotations

import inspect
import itertools
import random
import sqlite3
import struct
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import wraps
from json import JSONDecodeError
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from vidence.errors import BackendError, UserError, VidenceError
from vidence.store.faults import ELSEWHERE_REMEDY, SPACE_REMEDY
from vidence.store.private import make_private, make_private_file
from vidence.store.sqlite.connections import Handle, Mode, Pool
from vidence.store.sqlite.migrate import migrate, next_migration, shipped_migrations

__all__ = ["Database", "Table", "readable"]

# Short, so that Ctrl-C works while waiting; the retry loop waits longer.
_BUSY_TIMEOUT_S = 2.0
_PATIENCE_S = 90.0
# SQLITE_PROTOCOL: the race for a read lock was lost for seconds, as happens on a starved machine.
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}

_CLOSED = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL}
_COPIES = itertools.count(1)

_Result = TypeVar("_Result")
_Part = TypeVar("_Part")
_REPAIR = "Run `vidence doctor --repair`, which saves what can be read and keeps the damaged file."
_Values = Sequence[object] | Mapping[str, object]


class Database:
    """One SQLite file in WAL mode, open to many threads and processes at once."""

    def __init__(self, path: Path, *, name: str | None = None) -> None:
        self.path = path
        self._pool = Pool(path, lambda: _connect(name or str(path)))
        self._finalizer = weakref.finalize(self, self._pool.close)

    @classmethod
    def open(cls, path: Path) -> Database:
        """Open the database at `path`, creating or migrating it as needed."""
        path = path.absolute()
        make_private(path.parent)
        make_private_file(path)
        database = cls(path)
        try:
            with database._entered("write") as handle:
                _patiently(lambda: _prepare(handle.connection, path))
        except BaseException:
            database.close()
            raise
        return database

    @classmethod
    def in_memory(cls, source: Path) -> Database:
        """Return a copy of a database that may only be read; what is written to it is lost when it closes."""
        name = f"file:vidence-{next(_COPIES)}?mode=memory&cache=shared"
        database = cls(source, name=name)
        # The memory lasts as long as one connection to it is open.
        keeper = sqlite3.connect(name, uri=True, check_same_thread=False)
        weakref.finalize(database, keeper.close)
        try:
            with database._entered("write") as handle:
                _fill(handle.connection, source)
                _patiently(lambda: _prepare(handle.connection, source))
        except BaseException:
            database.close()
            raise
        return database

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection whose reads all see the same snapshot."""
        with self._entered("read") as handle:
            if handle.depth > 1:
                yield handle.connection
                return
            handle.connection.execute("BEGIN")
            # BEGIN locks nothing; the first read may find the file locked while another process opens it.
            _patiently(lambda: handle.connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone())
            yield handle.connection

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection whose writes are all committed or all undone.

        Inside another transaction of the same thread it is a part of that one: undone alone when it fails,
        kept only when the outer one is.
        """
        with self._entered("write") as handle:
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

    def rows(self, query: str, values: _Values = ()) -> list[sqlite3.Row]:
        """Return the rows of a query."""
        with self.read() as reader:
            return reader.execute(query, values).fetchall()

    def row(self, query: str, values: _Values = ()) -> sqlite3.Row | None:
        """Return the first row of a query."""
        with self.read() as reader:
            row: sqlite3.Row | None = reader.execute(query, values).fetchone()
            return row

    def execute(self, statement: str, values: _Values = ()) -> None:
        """Run one writing statement."""
        with self.transaction() as tx:
            tx.execute(statement, values)

    def close(self) -> None:
        """Close every connection of every thread."""
        self._finalizer()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *exc_info: object) -> None:
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
            raise _fault(exc, self.path) from exc


def readable(part: type[_Part]) -> type[_Part]:
    """Make the methods of a part of the store say in one line when a row is not what was written."""
    for name, method in vars(part).items():
        if (
            inspect.isfunction(method)
            and not name.startswith("__")
            and not inspect.isgeneratorfunction(method)
        ):
            setattr(part, name, _readable(method))
    return part


def _readable(method: Callable[..., _Result]) -> Callable[..., _Result]:
    @wraps(method)
    def read(self: Any, *args: Any, **options: Any) -> _Result:
        try:
            return method(self, *args, **options)
        except (ValidationError, JSONDecodeError, UnicodeDecodeError, struct.error) as exc:
            where = (self.db if hasattr(self, "db") else self._db).path
            raise BackendError(f"The database {where} is damaged: a row cannot be read. {_REPAIR}") from exc

    return read


class Table:
    """A part of the store that needs nothing but the database."""

    def __init__(self, db: Database) -> None:
        self._db = db


def _connect(name: str) -> sqlite3.Connection:
    # Each thread keeps to its own connection; the check is off so that close() may close them all.
    connection = sqlite3.connect(
        name,
        timeout=_BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
        uri=name.startswith("file:"),
    )
    connection.row_factory = sqlite3.Row
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        # Reads the schema, and so waits for a process that has locked the whole file.
        _patiently(lambda: connection.execute("PRAGMA synchronous = NORMAL"))
    except BaseException:
        connection.close()
        raise
    return connection


def _fill(target: sqlite3.Connection, source: Path) -> None:
    """Copy a database that is there, with the changes beside it if they can be read."""
    if not source.is_file() or not source.stat().st_size:
        return
    address = source.absolute().as_uri()
    for how in ("mode=ro", "mode=ro&immutable=1"):
        try:
            with closing(sqlite3.connect(f"{address}?{how}", uri=True)) as reader:
                reader.backup(target)
            return
        except sqlite3.OperationalError as exc:
            if _code(exc) not in _CLOSED:
                raise
    raise sqlite3.OperationalError(f"{source} cannot be read")


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    # Checked before the first write: another program's file must stay as it is.
    next_migration(connection, path, shipped_migrations())
    connection.execute("PRAGMA journal_mode = WAL").fetchone()
    migrate(connection, path, shipped_migrations())


def _undo_unfinished(handle: Handle) -> None:
    # Even after Ctrl-C right behind BEGIN, no lock outlives the outermost block.
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
            if _code(exc) not in _BUSY or time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(0.005, 0.05))


def _fault(exc: sqlite3.Error, path: Path) -> VidenceError:
    """Return the error to raise for `exc`, met on the database at `path`."""
    code = _code(exc)
    if code == sqlite3.SQLITE_NOTADB:
        return UserError(
            f"{path} is not a vidence database. Move it away, or set VIDENCE_HOME to another folder; "
            "if it was one, `vidence doctor --repair` begins a new one beside it."
        )
    if code == sqlite3.SQLITE_CORRUPT:
        return BackendError(f"The database {path} is damaged. {_REPAIR}")
    if code in _BUSY:
        return BackendError(f"The database {path} is kept busy by another process. Wait for it, or stop it.")
    if code == sqlite3.SQLITE_FULL:
        return BackendError(f"No space left for the database {path}. {SPACE_REMEDY}")
    if code == sqlite3.SQLITE_IOERR:
        return BackendError(
            f"The database {path} could not be read or written ({exc}): a full disk, a quota "
            f"or a failing one. {SPACE_REMEDY}"
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return BackendError(f"The database {path} cannot be opened for writing. {ELSEWHERE_REMEDY}")
    if getattr(exc, "sqlite_errorcode", 0) == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
        return UserError(
            "The video is not in the catalogue (any more): it was removed, maybe while being worked on. "
            "Add it again with `vidence add`."
        )
    return BackendError(f"The database {path} failed: {exc}.")


def _code(exc: sqlite3.Error) -> int:
    # The low byte is the primary code; the rest only refines it.
    return getattr(exc, "sqlite_errorcode", 0) & 0xFF
