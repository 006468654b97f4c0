"""Brings a database up to date: numbered SQL files, each applied once, whole or not at all."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from vidence.errors import BackendError, NewerDatabase, UserError

__all__ = ["Migration", "migrate", "next_migration", "shipped_migrations"]

# "vide": distinguishes our file from another program's SQLite file.
_APPLICATION_ID = 0x76696465


@dataclass(frozen=True)
class Migration:
    """One step of the schema; never edited once released."""

    number: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


@cache
def shipped_migrations() -> tuple[Migration, ...]:
    """Return the migrations packaged with this vidence, in order."""
    found = []
    for entry in files("vidence.store.sqlite").joinpath("migrations").iterdir():
        if entry.name.endswith(".sql"):
            # A checkout may have rewritten the line ends; the digest must not depend on that.
            sql = entry.read_text(encoding="utf-8").replace("\r\n", "\n")
            found.append(Migration(int(entry.name[:4]), entry.name.removesuffix(".sql"), sql))
    return tuple(sorted(found, key=lambda migration: migration.number))


def migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> list[Migration]:
    """Apply the migrations the database at `path` lacks and return them."""
    applied = []
    while step := next_migration(connection, path, migrations):
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Checked again under the lock: another process may have applied this step meanwhile.
            if next_migration(connection, path, migrations) == step:
                _apply(connection, step)
                applied.append(step)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    _check_digests(connection, path, migrations)
    return applied


def next_migration(
    connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration]
) -> Migration | None:
    """Return the first step the database at `path` lacks, refusing one that is not ours or too new."""
    # Tables before version: a first migration committed between the two reads must not look foreign.
    has_tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] > 0
    version = _pragma(connection, "user_version")
    if version == 0 and has_tables:
        raise _foreign(path)
    if version and _pragma(connection, "application_id") != _APPLICATION_ID:
        raise _foreign(path)
    if version > migrations[-1].number:
        raise NewerDatabase(
            f"The workspace {path.parent} was written by a newer vidence (database version {version}, "
            f"this one knows {migrations[-1].number}). Upgrade vidence or set VIDENCE_HOME to another folder."
        )
    return next((step for step in migrations if step.number > version), None)


def _apply(connection: sqlite3.Connection, step: Migration) -> None:
    for statement in _statements(step.sql):
        connection.execute(statement)
    connection.execute(
        "INSERT INTO schema_migrations (number, name, sha256, applied_at) VALUES (?, ?, ?, ?)",
        (step.number, step.name, step.sha256, time.time()),
    )
    connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {step.number}")


def _statements(sql: str) -> Iterator[str]:
    # executescript() would commit the transaction first, so the file is cut up here.
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        raise ValueError(f"a migration ends in the middle of a statement: {statement.strip()[:60]!r}")


def _check_digests(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> None:
    recorded = dict(connection.execute("SELECT number, sha256 FROM schema_migrations").fetchall())
    for step in migrations:
        if recorded.get(step.number) != step.sha256:
            raise BackendError(
                f"The database {path} was made with a different {step.name}.sql than this vidence ships. "
                "Use the vidence that made it, or move the database away and add your videos again."
            )


def _foreign(path: Path) -> UserError:
    return UserError(
        f"{path} is another program's database. Move it away, or set VIDENCE_HOME to another folder."
    )


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
