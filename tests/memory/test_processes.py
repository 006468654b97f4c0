"""Eight processes at once, and processes killed in the middle of a write: nothing is lost."""

from __future__ import annotations

import random
import time
from contextlib import suppress
from pathlib import Path

from tests.memory.workers import write_and_read, write_until_killed
from tests.processes import PATIENCE_S
from tests.store.processes import FORKSERVER
from vidence.memory import MemoryBook
from vidence.store.sqlite import Database, SqliteMemories

WRITERS, WRITES = 8, 15


def test_eight_processes_writing_and_reading_lose_nothing(tmp_path: Path) -> None:
    Database.open(tmp_path / "vidence.db").close()
    start = FORKSERVER.Barrier(WRITERS)
    running = []
    for number in range(WRITERS):
        hearer, teller = FORKSERVER.Pipe(duplex=False)
        process = FORKSERVER.Process(target=write_and_read, args=(tmp_path, number, WRITES, start, teller))
        process.start()
        teller.close()
        running.append((hearer, process))
    told = [hearer.recv() for hearer, _ in running]
    for hearer, process in running:
        hearer.close()
        process.join(PATIENCE_S)
        assert process.exitcode == 0
        process.close()
    ids = [memory_id for one in told for memory_id in one]
    assert len(set(ids)) == WRITERS * WRITES
    with Database.open(tmp_path / "vidence.db") as db:
        memories = SqliteMemories(db)
        assert sorted(row.memory_id for row in memories.all("main")) == sorted(ids)
        book = MemoryBook(memories, "main")
        assert book.recall("animal7x14", 1).memories[0][0].content.startswith("writer7")


def test_kill_9_loses_at_most_the_write_in_flight(tmp_path: Path) -> None:
    moments = random.Random(3)
    told: set[str] = set()
    for run in range(6):
        told |= _write_and_kill(tmp_path, run, moments.randrange(1, 8), moments.uniform(0, 0.05))
        with Database.open(tmp_path / "vidence.db") as db:
            with db.read() as reader:
                assert reader.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            kept = {row.memory_id for row in SqliteMemories(db).all("main")}
            assert told <= kept
            assert len(kept - told) <= run + 1, "each kill may leave one write that was not told of"


def _write_and_kill(home: Path, run: int, after: int, after_s: float) -> set[str]:
    """Kill a writer `after_s` seconds after it told of `after` memories; return all that it told of."""
    hearer, teller = FORKSERVER.Pipe(duplex=False)
    process = FORKSERVER.Process(target=write_until_killed, args=(home, run, teller))
    process.start()
    teller.close()
    assert hearer.recv() == "ready"
    told = {hearer.recv() for _ in range(after)}
    time.sleep(after_s)
    process.kill()
    process.join(PATIENCE_S)
    # A message cut in half by the kill was not told.
    with suppress(EOFError, OSError):
        while True:
            told.add(hearer.recv())
    hearer.close()
    process.close()
    return told
