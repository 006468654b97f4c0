"""A workspace's store in SQLite: the database with the blobs, locks and mapped vectors beside it."""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Self

from vidence.store.files import FileBlobs, FileLocks
from vidence.store.private import can_keep
from vidence.store.protocols import Blobs, Locks, Store
from vidence.store.spare import MemoryBlobs, MemoryLocks
from vidence.store.sqlite.catalogue import SqliteCatalogue
from vidence.store.sqlite.database import Database
from vidence.store.sqlite.jobs import SqliteJobs
from vidence.store.sqlite.memories import SqliteMemories
from vidence.store.sqlite.observations import SqliteEntities, SqliteObservations, SqliteSegments
from vidence.store.sqlite.results import SqliteResults
from vidence.store.sqlite.stages import SqliteStages
from vidence.store.sqlite.stories import SqliteGraph, SqliteStories
from vidence.store.sqlite.topics import SqliteTopics
from vidence.store.sqlite.vectors import SqliteVectors

__all__ = ["SqliteStore", "open_store"]

_log = logging.getLogger(__name__)


class SqliteStore:
    """Every part of the store over one database file in the folder `home`."""

    def __init__(self, home: Path, *, blobs: Blobs | None = None, is_kept: bool = True) -> None:
        home = home.absolute()
        path = home / "vidence.db"
        self.db = Database.open(path) if is_kept else Database.in_memory(path)
        self.blobs: Blobs = blobs or (FileBlobs if is_kept else MemoryBlobs)(home / "blobs")
        self.locks: Locks = FileLocks(home / "locks") if is_kept else MemoryLocks()
        self.catalogue = SqliteCatalogue(self.db, self.blobs)
        self.stages = SqliteStages(self.db)
        self.segments = SqliteSegments(self.db)
        self.results = SqliteResults(self.db)
        self.observations = SqliteObservations(self.db)
        self.vectors = SqliteVectors(self.db, home / "vectors")
        self.memories = SqliteMemories(self.db)
        self.entities = SqliteEntities(self.db)
        self.jobs = SqliteJobs(self.db)
        self.topics = SqliteTopics(self.db)
        self.stories = SqliteStories(self.db)
        self.graph = SqliteGraph(self.db)

    @classmethod
    def open(cls, home: Path, *, blobs: Blobs | None = None, is_kept: bool = True) -> Self:
        """Open the store in the folder `home`, making it where there is none.

        Args:
            blobs: keeps the blobs somewhere else than in files beside the database.
            is_kept: False reads a copy in memory, for a folder that cannot be written.
        """
        store = cls(home, blobs=blobs, is_kept=is_kept)
        try:
            store.blobs.sweep()
            store.catalogue.sweep()
        except BaseException:
            store.close()
            raise
        return store

    def unit_of_work(self) -> AbstractContextManager[object]:
        """Return a transaction that this thread's writes are part of."""
        return self.db.transaction()

    def close(self) -> None:
        """Close the database; the store cannot be used again."""
        self.db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()


def open_store(home: Path, *, must_keep: bool = True) -> Store:
    """Open the store of the workspace in the folder `home`, making it where there is none.

    Args:
        must_keep: False for what only asks. Where the disk is full or the folder may not be written, a copy
            in memory is opened then, and a warning says that nothing is kept.
    """
    if must_keep or can_keep(home):
        return SqliteStore.open(home)
    _log.warning("%s is full or may not be written: nothing of this run is kept.", home)
    return SqliteStore.open(home, is_kept=False)
