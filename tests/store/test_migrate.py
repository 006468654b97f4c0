"""Migrations are append-only, applied once, whole, by whichever process comes first."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from vidence.errors import BackendError, NewerDatabase
from vidence.store.sqlite import Database, SqliteStore
from vidence.store.sqlite.migrate import Migration, migrate, shipped_migrations

# A released migration is history: databases out there were made with it. To change the schema add a
# new numbered file, and its digest here (`sha256sum` of the file).
PINNED = {
    "0001_catalogue": "a3b87f7b7f2be78cdcd6dbea20c2e9bf3d29b2d6f5179758741fb7321a75f892",
    "0002_results": "a4b1192d7d3b0f752fad995472979314d057a9e3052a3c8d626e0439cf261f1a",
    "0003_observations": "9a6ee316fb689b50a6eb274569c94cfba16154df8e0a8c236010914d01e4d5a8",
    "0004_entities": "f97ea6a05631f47618e6a794d3e1b51bbcdf6ab796ae71e6f791a07a1650faf7",
    "0005_memories": "59665ef939ed6da6dfe52c88d98b2dfd0ae43b72a888b8d01c6fe880eb368c56",
    "0006_jobs": "360cf101837ce290847a6ed6bff78f18588277bfd8c05bfeaac394fb11345d38",
    "0007_topics": "2576a06fa56db46363deae4769e081db44bfbc3a8922985a2d8c2c0f2f3656b8",
    "0008_stories": "e21aa51a975d4325288e21e6e11cf9329a1e6334903628e9ab617ebe668dc79a",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vidence.db"


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    opened = sqlite3.connect(path, isolation_level=None)
    yield opened
    opened.close()


def test_shipped_migrations_are_never_edited() -> None:
    assert {step.name: step.sha256 for step in shipped_migrations()} == PINNED


def test_shipped_migrations_are_numbered_without_gaps() -> None:
    assert [step.number for step in shipped_migrations()] == list(range(1, len(PINNED) + 1))


def test_opening_again_applies_nothing(path: Path, connection: sqlite3.Connection) -> None:
    Database.open(path).close()
    applied = connection.execute("SELECT number, name, sha256, applied_at FROM schema_migrations").fetchall()
    Database.open(path).close()
    assert (
        connection.execute("SELECT number, name, sha256, applied_at FROM schema_migrations").fetchall()
        == applied
    )
    assert {name: digest for _, name, digest, _ in applied} == PINNED


def test_an_older_database_is_brought_up_to_date_with_its_rows(
    path: Path, connection: sqlite3.Connection
) -> None:
    migrate(connection, path, shipped_migrations()[:1])
    connection.execute("INSERT INTO videos VALUES ('vid_1', 'x', 0, '{}', 0)")
    with Database.open(path) as db, db.read() as reader:
        assert reader.execute("SELECT video_id FROM videos").fetchone()[0] == "vid_1"
        assert reader.execute("PRAGMA user_version").fetchone()[0] == len(PINNED)


def test_a_failing_migration_leaves_no_trace(path: Path, connection: sqlite3.Connection) -> None:
    good = list(shipped_migrations())
    broken = Migration(len(good) + 1, "broken", "CREATE TABLE half (x);\nINSERT INTO nowhere VALUES (1);\n")
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        migrate(connection, path, [*good, broken])
    assert connection.execute("PRAGMA user_version").fetchone()[0] == len(good)
    assert not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'half'").fetchall()


def test_a_newer_database_is_refused_and_left_alone(home: Path) -> None:
    SqliteStore.open(home).close()
    path = home / "vidence.db"
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 999")
    newer.close()
    before = path.read_bytes()
    with pytest.raises(
        NewerDatabase, match=r"written by a newer vidence \(database version 999.*Upgrade vidence"
    ):
        SqliteStore.open(home)
    assert path.read_bytes() == before


def test_an_edited_past_migration_is_noticed(path: Path, connection: sqlite3.Connection) -> None:
    Database.open(path).close()
    connection.execute("UPDATE schema_migrations SET sha256 = 'edited' WHERE number = 1")
    with pytest.raises(BackendError, match=r"a different 0001_catalogue\.sql"):
        Database.open(path)
