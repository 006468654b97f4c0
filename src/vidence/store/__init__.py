"""What a workspace keeps: Protocols that the other rooms type against, and the store behind them."""

from vidence.store.content import content_id
from vidence.store.protocols import (
    Blobs,
    Catalogue,
    Entities,
    Locks,
    Memories,
    MemoryRow,
    Observations,
    Results,
    Segments,
    Stages,
    Store,
    VectorRow,
    Vectors,
)
from vidence.store.sqlite import open_store

__all__ = [
    "Blobs",
    "Catalogue",
    "Entities",
    "Locks",
    "Memories",
    "MemoryRow",
    "Observations",
    "Results",
    "Segments",
    "Stages",
    "Store",
    "VectorRow",
    "Vectors",
    "content_id",
    "open_store",
]
