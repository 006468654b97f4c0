"""Everything a workspace keeps on disk, opened together."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from vidence.store.blobs import Blobs
from vidence.store.catalogue import Catalogue
from vidence.store.database import Database
from vidence.store.entities import Entities
from vidence.store.faults import disk_fault
from vidence.store.locks import Locks
from vidence.store.memories import Memories
from vidence.store.observations import Observations, Vectors
from vidence.store.results import Results
from vidence.store.segments import Segments
from vidence.store.stages import Stages

__all__ = ["Store"]

_DATABASE = "vidence.db"
_BLOBS = "blobs"
_LOCKS = "locks"


class Store:
    """The database and the blobs of one workspace.

    `locks.hold(video_id)` keeps two processes from indexing the same video at once.
    """

    def __init__(self, db: Database, blobs: Blobs, locks: Locks) -> None:
        self.db = db
        self.blobs = blobs
        self.locks = locks
        self.catalogue = Catalogue(db, blobs)
        self.stages = Stages(db)
        self.segments = Segments(db)
        self.results = Results(db)
        self.observations = Observations(db)
        self.vectors = Vectors(db)
        self.memories = Memories(db)
        self.entities = Entities(db)

    @classmethod
    def open(cls, home: Path) -> Store:
        """Open the store in the folder `home`, making it where there is none."""
        home = home.absolute()
        blobs = Blobs(home / _BLOBS)
        try:
            blobs.root.mkdir(parents=True, exist_ok=True)
        except OSError as exc:
            raise disk_fault(exc, blobs.root) from exc
        store = cls(Database.open(home / _DATABASE), blobs, Locks(home / _LOCKS))
        try:
            blobs.sweep()
            store.catalogue.sweep()
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        """Close the database; the store cannot be used again."""
        self.db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
