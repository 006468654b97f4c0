"""SqliteMemories keep their provenance, merge, are corrected and forgotten, and stay what they are."""

from __future__ import annotations

import sqlite3
from itertools import count
from pathlib import Path

import pytest

from tests.memory.conftest import HashEmbedder
from vidence.errors import BackendError, UnknownName, UserError
from vidence.memory import MemoryBook, open_book
from vidence.schema.memory import Memory, NewMemory
from vidence.store.sqlite import Database, SqliteMemories


def _write(book: MemoryBook, content: str, **fields: object) -> Memory:
    return book.write(NewMemory.model_validate({"content": content, **fields})).memory


def _texts(book: MemoryBook, query: str) -> list[str]:
    return [memory.content for memory, _ in book.recall(query).memories]


def test_ids_are_stable_and_never_used_twice(book: MemoryBook) -> None:
    assert [_write(book, f"fact {n}").memory_id for n in "abc"] == ["mem_001", "mem_002", "mem_003"]
    book.forget("mem_003")
    assert _write(book, "another fact").memory_id == "mem_004"


def test_the_same_said_again_is_one_memory(book: MemoryBook) -> None:
    first = _write(book, "Anna adopted a grey cat in Lisbon", importance=0.3)
    again = book.write(NewMemory(content="anna  adopted a grey cat in LISBON", importance=0.8))
    near = book.write(NewMemory(content="Anna adopted the grey cat, in Lisbon."))
    assert not again.is_new
    assert not near.is_new
    assert again.memory.memory_id == near.memory.memory_id == first.memory_id
    assert book.memories.get("main", first.memory_id).importance == 0.8


@pytest.mark.parametrize(
    "other",
    ["Anna paid 30 euros for tea", "Anna paid 20 euros for coffee and cake", "Tom slept all day long"],
)
def test_other_figures_or_words_are_another_memory(book: MemoryBook, other: str) -> None:
    _write(book, "Anna paid 20 euros for tea")
    assert book.write(NewMemory(content=other)).is_new


@pytest.mark.parametrize("kind", ["inference", "hypothesis", "answer"])
@pytest.mark.parametrize("lead", ["", "As was noted before, "])
def test_recalled_thought_is_not_an_observation(book: MemoryBook, kind: str, lead: str) -> None:
    _write(book, "the woman is preparing dinner for guests", memory_type=kind)
    recalled = book.recall("what is the woman preparing").memories[0][0].content
    with pytest.raises(UserError, match="recalled text is not a new observation"):
        _write(book, lead + recalled, memory_type="observation")
    assert book.memories.count("main") == 1


def test_recalling_an_observation_does_not_confirm_it(db: Database) -> None:
    ticks = count(1000)
    book = MemoryBook(SqliteMemories(db, clock=lambda: next(ticks)), "main")
    first = _write(book, "a cat sits on the mat", derived_from=("rec_1",))
    assert _write(book, "a cat sits on the mat").confirmed_at == first.confirmed_at
    assert _write(book, "a cat sits on the mat", derived_from=("rec_2",)).confirmed_at > first.confirmed_at
    assert book.memories.get("main", "mem_001").derived_from == ("rec_1", "rec_2")


def test_a_correction_keeps_the_history(book: MemoryBook) -> None:
    _write(book, "The meeting is on Monday", speaker="Anna")
    new = book.correct("mem_001", "The meeting is on Tuesday", reason="Anna said so")
    assert (new.memory_id, new.supersedes, new.speaker) == ("mem_002", "mem_001", "Anna")
    old = book.memories.get("main", "mem_001")
    assert (old.state, old.superseded_by, old.content) == (
        "superseded",
        "mem_002",
        "The meeting is on Monday",
    )
    assert [row.memory_id for row in book.history("mem_002")] == ["mem_002", "mem_001"]
    assert _texts(book, "When is the meeting?") == ["The meeting is on Tuesday"]
    with pytest.raises(UserError, match="replaced by mem_002"):
        book.correct("mem_001", "again")


def test_what_is_forgotten_is_gone(book: MemoryBook, db: Database, memories: SqliteMemories) -> None:
    _write(book, "the secret word is xylophone")
    book.forget("mem_001")
    assert _texts(book, "secret xylophone") == []
    with db.read() as reader:
        row = reader.execute("SELECT body, terms, vectors FROM memories").fetchone()
    assert "xylophone" not in row["body"]
    assert (row["terms"], row["vectors"]) == (b"", None)
    assert memories.get("main", "mem_001").state == "forgotten"


def test_room_is_made_by_importance_and_age_never_from_the_newest_or_pinned(memories: SqliteMemories) -> None:
    book = MemoryBook(memories, "main", max_memories=3)
    _write(book, "pinned trifle", importance=0.0, pinned=True)
    _write(book, "key fact about allergies", importance=1.0)
    _write(book, "small talk about weather", importance=0.1)
    newest = _write(book, "newest trifle of all", importance=0.0)
    kept = [memory.content for memory in memories.all("main")]
    assert kept == ["pinned trifle", "key fact about allergies", newest.content]


def test_a_clock_set_back_does_not_make_the_newest_old(db: Database) -> None:
    times = iter([2000.0, 1000.0, 500.0])
    store = SqliteMemories(db, clock=lambda: next(times))
    created = [_write(MemoryBook(store, "main"), f"fact {n}").created_at for n in "abc"]
    assert created == [2000.0, 2000.0, 2000.0]


def test_a_second_process_sees_what_the_first_wrote(memories: SqliteMemories, embedder: HashEmbedder) -> None:
    one = MemoryBook(memories, "main", embedder=embedder)
    two = MemoryBook(memories, "main", embedder=embedder)
    _write(one, "Anna lives in Porto")
    assert _texts(two, "Where does Anna live?") == ["Anna lives in Porto"]
    two.correct("mem_001", "Anna lives in Braga")
    assert _texts(one, "Where does Anna live?") == ["Anna lives in Braga"]


def test_a_restart_loses_nothing_and_ranks_the_same(memories: SqliteMemories, embedder: HashEmbedder) -> None:
    book = MemoryBook(memories, "main", embedder=embedder)
    for n in range(40):
        _write(book, f"visit {n} to the {['lake', 'zoo', 'park'][n % 3]} with person {n % 5}")
    book.forget("mem_007")
    book.correct("mem_009", "visit to the moon")
    again = MemoryBook(memories, "main", embedder=embedder)
    for query in ("zoo with person 3", "moon", "park visit 20"):
        found = [[(m.memory_id, round(r, 5)) for m, r in b.recall(query, 5).memories] for b in (book, again)]
        assert found[0] == found[1]


def test_without_an_embedder_words_alone_serve_and_say_so(
    memories: SqliteMemories, embedder: HashEmbedder
) -> None:
    def missing() -> HashEmbedder:
        raise BackendError("The model 'x' is not here. Run `vidence models fetch`.")

    book, note = open_book(memories, "main", embedder=missing)
    assert note is not None
    assert "words alone" in note
    _write(book, "Anna lives in Porto")
    assert _texts(book, "Where does Anna live?") == ["Anna lives in Porto"]
    later, note = open_book(memories, "main", embedder=lambda: embedder)
    assert note is None
    assert later.embed_missing() == 1
    assert later.recall("Anna").found.hits[0].evidence.similarity != 0


@pytest.mark.parametrize("content", ["", "  \n", "\0\0\0", "\x01\x02\x03\x04" * 50, "x" * 2_000_001])
def test_what_is_no_text_is_refused(book: MemoryBook, content: str) -> None:
    with pytest.raises(UserError):
        _write(book, content)


@pytest.mark.parametrize(
    "content", ["word " * 200_000, "שלום עולם", "😀🎬", "mixed 中文 and English", "\ud800 odd"]
)
def test_any_text_is_kept_whole(book: MemoryBook, content: str) -> None:
    memory = _write(book, content)
    kept = content.encode(errors="replace").decode().strip()
    assert book.memories.get("main", memory.memory_id).content == kept


def test_unknown_ids_suggest_near_ones(book: MemoryBook) -> None:
    _write(book, "a fact")
    with pytest.raises(UnknownName, match="mem_001"):
        book.memories.get("main", "mem_01x")


def test_an_export_is_read_back_with_its_provenance(book: MemoryBook, memories: SqliteMemories) -> None:
    _write(book, "Anna lives in Porto", speaker="Anna", derived_from=("turn_1",), said_at=1000.0)
    lines = list(book.export_lines())
    other = MemoryBook(memories, "copy")
    assert other.import_lines(lines) == (1, 0)
    assert other.import_lines(lines) == (0, 1)
    copy = memories.get("copy", "mem_001")
    assert (copy.speaker, copy.derived_from, copy.said_at) == ("Anna", ("turn_1",), 1000.0)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "not an export"),
        (["nonsense"], "not an export"),
        (['{"format": "vidence-memories", "version": 99}'], "Upgrade vidence"),
        (['{"format": "vidence-memories", "version": 1}', '{"content": "ok"}', "{damaged"], "Line 3"),
    ],
)
def test_a_bad_export_changes_nothing(book: MemoryBook, lines: list[str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        book.import_lines(lines)
    assert book.memories.count("main") == 0


def test_a_full_disk_says_so_and_loses_nothing(book: MemoryBook, db: Database) -> None:
    _write(book, "kept")
    with db.transaction() as tx:
        pages = tx.execute("PRAGMA page_count").fetchone()[0]
        tx.execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(BackendError, match="No space left"):
        _write(book, "word " * 50_000)
    assert _texts(book, "kept") == ["kept"]


def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserError, match="file where a folder should be"):
        Database.open(tmp_path / "file" / "vidence.db")


def test_damaged_rows_are_named(book: MemoryBook, db: Database, memories: SqliteMemories) -> None:
    _write(book, "a fact")
    raw = sqlite3.connect(db.path)
    raw.execute("UPDATE memories SET body = '{}'")
    raw.commit()
    raw.close()
    with pytest.raises(BackendError, match="cannot be read"):
        memories.get("main", "mem_001")
