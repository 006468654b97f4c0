"""Short and long memory together: a conversation whose windows become memories."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vidence.llm.protocol import Engine
from vidence.memory.content_analyzer import ContentAnalyzer
from vidence.memory.embedder import open_embedder
from vidence.memory.long_memory import LongMemory, RetrieverConfig
from vidence.memory.short_memory import ShortMemory
from vidence.models.protocols import TextEmbedder
from vidence.schema.memory import ConversationMessage, RetrievalResult

__all__ = ["MemoryManager"]

_STATE = "conversation"
_STATE_VERSION = 1
_TIMED = 1000
"""The most recent calls that timings are kept of."""


class MemoryManager:
    """Takes messages, summarises each full window into long memory, and retrieves what is relevant."""

    def __init__(
        self,
        long_memory: LongMemory | None = None,
        *,
        storage_dir: Path | str = "./memory_store",
        conversation_window_size: int = 3,
        max_files: int = 100,
        max_actions: int = 1000,
        max_memories: int = 1000,
        retriever_config: RetrieverConfig | None = None,
        embedder: TextEmbedder | None = None,
        llm_engine: Engine | None = None,
        session_id: str | None = None,
    ) -> None:
        """Open short and long memory.

        Args:
            long_memory: memories that are open already; otherwise those in `storage_dir` are opened.
            retriever_config: `use_api_embedding` and `alpha`. With `use_api_embedding: True` the configured
                provider's embeddings API is asked, if it has one; otherwise the embedded encoder.
            embedder: instead of the one that `retriever_config` describes.
            llm_engine: says what each memory is about and sums up windows; without it rules do.
        """
        if long_memory is None:
            config = dict(retriever_config or {})
            by_meaning = float(config.get("alpha", 0.5)) > 0
            if embedder is None and by_meaning:
                embedder = open_embedder(use_api=config.get("use_api_embedding") is True)
            long_memory = LongMemory.open(
                storage_dir, max_memories=max_memories, embedder=embedder, retriever_config=retriever_config
            )
        self.long_memory = long_memory
        if llm_engine is not None:
            self.long_memory.content_analyzer = ContentAnalyzer(llm_engine)
        self._timings: dict[str, list[float]] = {}
        self.short_memory = ShortMemory(
            conversation_window_size=conversation_window_size,
            max_files=max_files,
            max_actions=max_actions,
            session_id=session_id,
        )
        self.conversation_window_size = conversation_window_size

    def add_message(self, role: str, content: str, turn_id: str | None = None) -> ConversationMessage:
        """Add a message; a full window becomes a memory."""
        with self._timed("add_message"):
            message = self.short_memory.append_message(role, content, turn_id)
            if self.short_memory.window_is_full:
                self.close_window()
            self.save_state()
        return message

    def close_window(self) -> None:
        """Make a memory of the current window now, full or not."""
        window, window_id = self.short_memory.get_window_for_summary()
        if window:
            # Summarised first, closed after: a failure in between loses nothing.
            with self._timed("summarise"):
                self.long_memory.add_conversation_summary(window, window_id, self.short_memory.session_id)
            self.short_memory.rollover_window()

    def retrieve_relevant_memories(self, query: str, k: int = 5) -> list[RetrievalResult]:
        """Return up to k memories that answer the query; none when none does."""
        with self._timed("retrieve"):
            return self.long_memory.retrieve_memories(query, k)

    def save_state(self) -> bool:
        """Write the conversation beside the memories, which are on disk already."""
        book = self.long_memory.book
        book.memories.save_state(
            book.scope,
            f"{_STATE}:{self.short_memory.session_id}",
            _STATE_VERSION,
            self.short_memory.to_json(),
        )
        return self.long_memory.save_state()

    def load_state(self, session_id: str | None = None) -> bool:
        """Resume a session; False when it is not known."""
        book = self.long_memory.book
        name = f"{_STATE}:{session_id or self.short_memory.session_id}"
        text = book.memories.load_state(book.scope, name, _STATE_VERSION)
        if text is None:
            return False
        self.short_memory.restore(text)
        return self.long_memory.load_state() or True

    def get_stats(self) -> dict[str, Any]:
        """Return counts of messages and memories, how they are searched, and how long that took."""
        book, short = self.long_memory.book, self.short_memory
        return {
            "session_id": short.session_id,
            "messages": len(short.conversation_history),
            "window_messages": len(short.current_window),
            "windows": short.window_count,
            "queries": len(short.queries),
            "files": len(short.files),
            "actions": len(short.actions),
            "memories": book.memories.count(book.scope),
            "superseded": book.memories.count(book.scope, "superseded"),
            "forgotten": book.memories.count(book.scope, "forgotten"),
            "max_memories": book.max_memories,
            "embedder": book.embedder.model_id if book.embedder else None,
            "search": "words and meaning" if book.embedder else "words alone (no embedder)",
            "timings_ms": {name: _summed(spent) for name, spent in self._timings.items()},
        }

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            spent = self._timings.setdefault(name, [])
            spent.append(1000 * (time.perf_counter() - started))
            del spent[:-_TIMED]


def _summed(spent: Sequence[float]) -> dict[str, float]:
    """Return how many of the latest calls were timed, with their mean and longest time."""
    return {
        "count": len(spent),
        "mean": round(sum(spent) / len(spent), 3),
        "max": round(max(spent), 3),
    }
