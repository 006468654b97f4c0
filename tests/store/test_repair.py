"""Repairing a database: what can be read is saved, the damaged file is kept."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from vidence.memory.book import MemoryBook
from vidence.schema.memory import NewMemory
from vidence.store import open_store, repair_store


def fill(home: Path, count: int = 40) -> None:
    with open_store(home) as store:
        book = MemoryBook(store.memories, "user")
        for number in range(count):
            book.write(NewMemory(content=f"Fact number {number} about harbour {number * 7}."))


def contents(home: Path) -> set[str]:
    with open_store(home) as store:
        return {row.content for row in store.memories.all("user")}


def test_a_sound_database_stays_as_it_is(tmp_path: Path) -> None:
    fill(tmp_path)
    found = repair_store(tmp_path)
    assert (found.aside, found.kept, found.damaged) == (None, {}, [])


def test_a_row_that_cannot_be_read_is_left_out_and_named(tmp_path: Path) -> None:
    fill(tmp_path)
    before = contents(tmp_path)
    with closing(sqlite3.connect(tmp_path / "vidence.db")) as raw, raw:
        raw.execute("UPDATE memories SET body = '{broken' WHERE number = 3")
    found = repair_store(tmp_path)
    assert found.aside is not None
    assert found.aside.is_file()
    assert found.damaged == ["memories"]
    assert found.kept["memories"] == len(before) - 1
    assert len(contents(tmp_path)) == len(before) - 1


def test_the_rules_of_the_ledger_hold_after_a_repair(tmp_path: Path) -> None:
    fill(tmp_path, 2)
    with closing(sqlite3.connect(tmp_path / "vidence.db")) as raw, raw:
        raw.execute("UPDATE memories SET body = '{broken'")
    repair_store(tmp_path)
    with closing(sqlite3.connect(tmp_path / "vidence.db")) as raw:
        names = {row[0] for row in raw.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")}
    assert "op_records_are_never_deleted" in names


def test_what_only_asks_reads_a_copy(tmp_path: Path) -> None:
    from vidence.store.sqlite import SqliteStore

    fill(tmp_path, 3)
    before = (tmp_path / "vidence.db").read_bytes()
    with SqliteStore.open(tmp_path, is_kept=False) as copy:
        MemoryBook(copy.memories, "user").write(NewMemory(content="Only in memory, this one."))
        assert len(copy.memories.all("user")) == 4
        copy.blobs.write("vid_0123456789abcdef", "thumbs/1.jpg", b"x")
        assert copy.blobs.read("vid_0123456789abcdef", "thumbs/1.jpg") == b"x"
        with copy.locks.hold("vid_0123456789abcdef"):
            pass
    assert (tmp_path / "vidence.db").read_bytes() == before
    assert len(contents(tmp_path)) == 3
