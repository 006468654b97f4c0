"""A large scope's index kept on disk: opened without reading every memory, and never trusted blindly."""

from __future__ import annotations

from pathlib import Path

import pytest

from vidence.memory import MemoryBook
from vidence.schema.memory import NewMemory
from vidence.store.sqlite import Database, SqliteMemories

NAMES = ["Anna", "Ben", "Carla", "Dirk", "小红", "小明"]
THINGS = ["piano", "bicycle", "garden", "钢琴", "花园", "telescope", "kite"]


@pytest.fixture(autouse=True)
def _small_scopes_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vidence.memory.book.WORTH_KEEPING", 20)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


def fill(path: Path, number: int = 40) -> None:
    with Database.open(path) as db:
        book = MemoryBook(SqliteMemories(db), "main")
        for n in range(number):
            name, thing = NAMES[n % len(NAMES)], THINGS[n % len(THINGS)]
            book.write(
                NewMemory(
                    content=f"{name} bought the {thing} number {n}.",
                    speaker=name,
                    session_id=f"s{n // 10}",
                    subject=thing,
                )
            )


def opened(db: Database) -> MemoryBook:
    book = MemoryBook(SqliteMemories(db), "main")
    book.sync()
    return book


def found(book: MemoryBook, query: str) -> list[tuple[str, float]]:
    return [(memory.memory_id, round(relevance, 5)) for memory, relevance in book.recall(query, 8).memories]


def files(path: Path) -> list[Path]:
    return list((path.parent / "memory-index").glob("*"))


QUERIES = ["What did Anna buy?", "the telescope number 26", "小红买了什么钢琴", 'who has "kite number 6"']


def test_an_index_from_its_snapshot_finds_what_a_fresh_one_finds(path: Path) -> None:
    fill(path)
    with Database.open(path) as db:
        fresh = opened(db)
        assert len(files(path)) == 1
        again = opened(db)
        assert again._rows._items.count(None) == 40, "nothing was read but the snapshot"
        assert [found(again, query) for query in QUERIES] == [found(fresh, query) for query in QUERIES]
        assert again.rows == fresh.rows


def test_what_was_written_after_the_snapshot_is_found_too(path: Path) -> None:
    fill(path)
    with Database.open(path) as db:
        opened(db)
        book = opened(db)
        new = book.write(NewMemory(content="Erik painted a lighthouse", speaker="Erik")).memory
        book.correct("mem_001", "Anna sold the piano number 0.")
        last = opened(db)
        assert found(last, "Who painted the lighthouse?")[0][0] == new.memory_id
        assert "mem_001" not in [name for name, _ in found(last, "Anna piano number 0")]


def test_forgetting_drops_the_snapshot_and_the_words(path: Path) -> None:
    fill(path)
    with Database.open(path) as db:
        opened(db)
        book = opened(db)
        book.forget("mem_003")
        assert files(path) == []
        assert "mem_003" not in [name for name, _ in found(book, "Carla bought the garden number 2")]
        assert "mem_003" not in [name for name, _ in found(opened(db), "Carla bought the garden number 2")]


def test_a_damaged_snapshot_is_not_used(path: Path) -> None:
    fill(path)
    with Database.open(path) as db:
        fresh = found(opened(db), QUERIES[0])
        for damage in (b"", b"PK\x03\x04 not a zip", files(path)[0].read_bytes()[:500]):
            files(path)[0].write_bytes(damage)
            assert found(opened(db), QUERIES[0]) == fresh


def test_a_snapshot_of_a_scope_that_began_again_is_not_used(path: Path) -> None:
    fill(path)
    with Database.open(path) as db:
        opened(db)
        with db.transaction() as tx:
            tx.execute("DELETE FROM memory_scopes")
    fill(path, number=60)
    with Database.open(path) as db:
        assert len(opened(db).rows) == 60


def test_a_folder_that_cannot_be_written_loses_nothing(path: Path) -> None:
    fill(path)
    (path.parent / "memory-index").write_text("in the way")
    with Database.open(path) as db:
        assert len(opened(db).rows) == 40


def test_snapshots_of_removed_scopes_are_swept(path: Path) -> None:
    fill(path)
    with Database.open(path) as db:
        opened(db)
        (before,) = files(path)
        with db.transaction() as tx:
            tx.execute("DELETE FROM memory_scopes")
        book = MemoryBook(SqliteMemories(db), "other")
        for n in range(30):
            book.write(NewMemory(content=f"note {n} about the {THINGS[n % 7]}"))
        MemoryBook(SqliteMemories(db), "other").sync()
        assert before not in files(path)
        assert len(files(path)) == 1
