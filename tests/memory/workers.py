"""What the processes of `test_processes` do."""

from __future__ import annotations

import itertools
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path

from vidence.memory import MemoryBook
from vidence.schema.memory import NewMemory
from vidence.store.sqlite import Database, SqliteMemories


def write_and_read(home: Path, number: int, writes: int, start: Barrier, teller: Connection) -> None:
    """Write memories at the same time as the others, recalling each right after."""
    with Database.open(home / "vidence.db") as db:
        book = MemoryBook(SqliteMemories(db), "main")
        start.wait()
        ids = []
        for n in range(writes):
            content = f"writer{number} saw animal{number}x{n} at place{number}y{n}"
            ids.append(book.write(NewMemory(content=content)).memory.memory_id)
            found = book.recall(f"animal{number}x{n}", 1).memories[0][0]
            assert found.content == content
        teller.send(ids)


def write_until_killed(home: Path, run: int, teller: Connection) -> None:
    """Write memories for ever, telling the id of each once it is written."""
    with Database.open(home / "vidence.db") as db:
        book = MemoryBook(SqliteMemories(db), "main")
        teller.send("ready")
        for n in itertools.count():
            teller.send(book.write(NewMemory(content=f"run{run} wrote fact{run}x{n}")).memory.memory_id)
