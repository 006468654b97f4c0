"""Saves what can be read of a damaged database into a new one; the damaged file is kept beside it."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from vidence.errors import BackendError
from vidence.store.faults import disk_fault
from vidence.store.sqlite.database import Database

__all__ = ["Repaired", "repair_store"]

_MADE_AGAIN = {"schema_migrations", "result_cache"}
"""Not copied: the new database has its own."""
_COMPUTED = ("segments", "observations", "vectors", "entities")
"""Made again from the videos, so that a stage that lost rows is indexed again."""


@dataclass
class Repaired:
    """What a repair saved."""

    kept: dict[str, int] = field(default_factory=dict)
    """Rows saved, by table."""
    damaged: list[str] = field(default_factory=list)
    """Tables of which something could not be read."""
    aside: Path | None = None
    """Where the damaged database is now; None when nothing was wrong."""


def repair_store(home: Path) -> Repaired:
    """Repair the database of a home folder and return what was saved; one without damage stays as it is."""
    path = home / "vidence.db"
    if not path.is_file() or _is_sound(path):
        return Repaired()
    draft = path.with_name(f"{path.name}.repairing")
    _remove(draft)
    found = Repaired()
    try:
        Database.open(draft).close()
        with closing(sqlite3.connect(draft, isolation_level=None)) as target:
            target.execute("PRAGMA foreign_keys = OFF")
            target.execute("BEGIN")
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as source:
                for table in _tables(target):
                    _copy(source, target, table, found)
            _tidy(target, found)
            target.execute("COMMIT")
            target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        found.aside = _swap(path, draft)
    except sqlite3.Error as exc:
        raise BackendError(f"{path} cannot be repaired: {exc}. It was not changed.") from exc
    except OSError as exc:
        raise disk_fault(exc, path) from exc
    finally:
        _remove(draft)
    return found


def _is_sound(path: Path) -> bool:
    """Say whether every page and every row can be read."""
    probe = Repaired()
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as source:
            if source.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                return False
            for table in _tables(source):
                if any(not _is_whole(row) for row in _rows(source, table, _columns(source, table), probe)):
                    return False
    except sqlite3.Error:
        return False
    return not probe.damaged


def _tables(database: sqlite3.Connection) -> list[str]:
    """Return the tables that hold data, without those that SQLite keeps for itself and for its indexes."""
    rows = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
    virtual = tuple(f"{name}_" for name, text in rows if text and text.startswith("CREATE VIRTUAL"))
    names = [name for name, _ in rows if not name.startswith(("sqlite_", *virtual))]
    return [name for name in names if name not in _MADE_AGAIN]


def _columns(database: sqlite3.Connection, table: str) -> list[str]:
    """Return what a row is made of; a virtual table's rows are known by their number."""
    named = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
    text = database.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]
    return ["rowid", *named] if text.startswith("CREATE VIRTUAL") else named


def _copy(source: sqlite3.Connection, target: sqlite3.Connection, table: str, found: Repaired) -> None:
    columns = _columns(target, table)
    slots = ", ".join("?" * len(columns))
    found.kept[table] = 0
    for row in _rows(source, table, columns, found):
        try:
            if not _is_whole(row):
                raise ValueError
            target.execute(f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({slots})", row)
            found.kept[table] += target.execute("SELECT changes()").fetchone()[0]
        except (sqlite3.Error, ValueError):
            _note(found, table)


def _rows(
    source: sqlite3.Connection, table: str, columns: list[str], found: Repaired
) -> Iterator[tuple[object, ...]]:
    """Yield the rows from the front and, where a page cannot be read, from the back up to it."""
    key = ", ".join(_key(source, table)) or "rowid"
    for order in (key, ", ".join(f"{part} DESC" for part in key.split(", "))):
        try:
            yield from source.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY {order}")
        except sqlite3.Error:
            _note(found, table)
            continue
        return


def _key(source: sqlite3.Connection, table: str) -> list[str]:
    """Return the columns of a table without rowids; [] for any other, whose rows are read by number."""
    with suppress(sqlite3.Error):
        text = source.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        if text and "WITHOUT ROWID" in text[0]:
            rows = source.execute(f"PRAGMA table_info({table})").fetchall()
            return [row[1] for row in sorted(rows, key=lambda row: row[5]) if row[5]]
    return []


def _is_whole(row: tuple[object, ...]) -> bool:
    """Say whether what is JSON in a row still is."""
    for value in row:
        if isinstance(value, str) and value[:1] in ("{", "["):
            try:
                json.loads(value)
            except (ValueError, RecursionError):
                return False
    return True


def _tidy(target: sqlite3.Connection, found: Repaired) -> None:
    """Drop rows that refer to what is gone, and the stages of an index that is no longer whole."""
    for table in _tables(target) * 2:
        for _, _, parent, column, key, *_ in target.execute(f"PRAGMA foreign_key_list({table})").fetchall():
            known = key or next(row[1] for row in target.execute(f"PRAGMA table_info({parent})") if row[5])
            target.execute(
                f"DELETE FROM {table} WHERE {column} IS NOT NULL "
                f"AND {column} NOT IN (SELECT {known} FROM {parent})"
            )
    if any(table in _COMPUTED for table in found.damaged):
        for table in ("stages", *_COMPUTED):
            target.execute(f"DELETE FROM {table}")
            found.kept[table] = 0


def _swap(path: Path, draft: Path) -> Path:
    """Move the damaged database aside, with what belongs to it, and the new one into its place."""
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    for end in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + end).replace(aside.with_name(aside.name + end))
    path.replace(aside)
    draft.replace(path)
    return aside


def _note(found: Repaired, table: str) -> None:
    if table not in found.damaged:
        found.damaged.append(table)


def _remove(draft: Path) -> None:
    for end in ("", "-wal", "-shm"):
        with suppress(OSError):
            draft.with_name(draft.name + end).unlink()
