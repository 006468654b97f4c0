"""The memories of a workspace: general ones, those of one video, and conversations."""

from __future__ import annotations

from vidence.agents.planner_executor.initializer import Initializer
from vidence.app.workspace import Workspace
from vidence.errors import BackendError
from vidence.llm.protocol import Engine
from vidence.memory import ContentAnalyzer, LongMemory, MemoryBook, MemoryManager, open_book
from vidence.memory.relevance import NOTHING_RELEVANT
from vidence.models.protocols import TextEmbedder
from vidence.ops.write_memory import video_scope
from vidence.schema.memory import Memory

__all__ = [
    "MAX_MEMORIES",
    "MemoryBook",
    "open_conversations",
    "open_memory",
    "recall",
]

_GENERAL = "main"
MAX_MEMORIES = 10_000
"""The most general memories kept; the least important and oldest are dropped first."""


def open_memory(
    workspace: Workspace, video: str | None = None, *, by_meaning: bool = True
) -> tuple[MemoryBook, str | None]:
    """Return the memory book of a video or the general one, and a note when there is no embedder."""
    memories = workspace.store.memories

    def embedder() -> TextEmbedder:
        return _embedder(workspace, by_meaning)

    if video is None:
        return open_book(memories, _GENERAL, embedder=embedder)
    video_id = workspace.resolve(video).video_id
    return open_book(memories, video_scope(video_id), embedder=embedder, video_id=video_id)


def recall(book: MemoryBook, query: str, limit: int, *, nearest: bool = False) -> list[tuple[Memory, float]]:
    """Return the memories that answer a query with their relevance; the nearest ones even if none does."""
    recalled = book.recall(query, limit)
    if nearest or recalled.found.answerable >= NOTHING_RELEVANT:
        return list(recalled.memories)
    return []


def open_conversations(
    workspace: Workspace,
    *,
    session_id: str | None = None,
    by_meaning: bool = True,
    engine: Engine | None = None,
    setup: Initializer | None = None,
) -> tuple[MemoryManager, str | None]:
    """Return a new session over the general memories, and a note when there is no embedder.

    With an engine, it says what each memory is about; what it leaves out is worked out without it. `setup`
    configures windows, limits and the retriever; the memories stay those of the workspace.
    """
    config = (setup or Initializer(memory_config={"max_memories": MAX_MEMORIES})).memory_config
    embedder: TextEmbedder | None
    try:
        embedder, note = _embedder(workspace, by_meaning), None
    except BackendError as exc:
        embedder, note = None, f"searching by words alone: {exc}"
    long_memory = LongMemory(
        workspace.store.memories,
        scope=_GENERAL,
        max_memories=config.max_memories,
        embedder=embedder,
        retriever_config=config.retriever_config.model_dump(),
        content_analyzer=ContentAnalyzer(engine),
    )
    made = Initializer(memory_config=config).memory_manager(long_memory=long_memory, session_id=session_id)
    return made, note


def _embedder(workspace: Workspace, by_meaning: bool) -> TextEmbedder:
    if not by_meaning:
        raise BackendError("the embedder was not wanted")
    return workspace.indexer.shelf.text
