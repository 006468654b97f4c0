"""The store over SQLite: one file in WAL mode, open to many threads and processes at once."""

from vidence.store.sqlite.database import Database
from vidence.store.sqlite.memories import SqliteMemories
from vidence.store.sqlite.repair import repair_store
from vidence.store.sqlite.results import SqliteResults
from vidence.store.sqlite.store import SqliteStore, open_store

__all__ = ["Database", "SqliteMemories", "SqliteResults", "SqliteStore", "open_store", "repair_store"]
