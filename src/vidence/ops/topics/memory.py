"""The memory of topics, which three of the monitor's tools read."""

from __future__ import annotations

from vidence.memory import MemoryBook, open_book
from vidence.ops.context import OpContext

__all__ = ["TOPICS_SCOPE", "topics_book"]

TOPICS_SCOPE = "topics"
"""The scope of what monitors reported."""


def topics_book(context: OpContext) -> MemoryBook:
    """Return the book of what monitors reported, searched by meaning where the model is there."""
    book, _ = open_book(context.store.memories, TOPICS_SCOPE, embedder=lambda: context.shelf.text)
    if book.embedder is not None:
        context.used(book.embedder.model_id)
    return book
