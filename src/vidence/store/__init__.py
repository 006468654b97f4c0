"""What a workspace keeps: Protocols that the other rooms type against, and the store behind them."""

from vidence.store.content import content_id
from vidence.store.protocols import Memories, MemoryRow, Store, VectorRow
from vidence.store.sqlite import open_store, repair_store
from vidence.store.topics import PassageHit, Topics

__all__ = [
    "Memories",
    "MemoryRow",
    "PassageHit",
    "Store",
    "Topics",
    "VectorRow",
    "content_id",
    "open_store",
    "repair_store",
]
