"""What is kept on disk: the catalogue, index stages, segments, results and blobs, over SQLite."""

from vidence.store.blobs import Blobs
from vidence.store.catalogue import Catalogue
from vidence.store.content import content_id
from vidence.store.database import Database
from vidence.store.locks import Locks
from vidence.store.results import Results
from vidence.store.segments import Segments
from vidence.store.stages import Stages
from vidence.store.store import Store

__all__ = [
    "Blobs",
    "Catalogue",
    "Database",
    "Locks",
    "Results",
    "Segments",
    "Stages",
    "Store",
    "content_id",
]
