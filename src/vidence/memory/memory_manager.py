"""Short and long memory together: a conversation whose windows become memories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vidence.memory.long_memory import LongMemory, RetrieverConfig
from vidence.memory.short_memory import ShortMemory
from vidence.models.protocols import TextEmbedder
from vidence.schema.memory import ConversationMessage, RetrievalResult

__all__ = ["MemoryManager"]

_STATE = "conversation"
_STATE_VERSION = 1


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
        session_id: str | None = None,
    ) -> None:
        self.long_memory = long_memory or LongMemory.open(
            storage_dir, max_memories=max_memories, embedder=embedder, retriever_config=retriever_config
        )
        self.short_memory = ShortMemory(
            conversation_window_size=conversation_window_size,
            max_files=max_files,
            max_actions=max_actions,
            session_id=session_id,
        )
        self.conversation_window_size = conversation_window_size

    def add_message(self, role: str, content: str, turn_id: str | None = None) -> ConversationMessage:
        """Add a message; a full window becomes a memory."""
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
            self.long_memory.add_conversation_summary(window, window_id, self.short_memory.session_id)
            self.short_memory.rollover_window()

    def retrieve_relevant_memories(self, query: str, k: int = 5) -> list[RetrievalResult]:
        """Return up to k memories that answer the query; none when none does."""
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
        """Return counts of messages and memories, and how they are searched."""
        book, short = self.long_memory.book, self.short_memory
        return {
            "session_id": short.session_id,
            "messages": len(short.conversation_history),
            "window_messages": len(short.current_window),
            "windows": short.window_count,
            "files": len(short.files),
            "actions": len(short.actions),
            "memories": book.memories.count(book.scope),
            "superseded": book.memories.count(book.scope, "superseded"),
            "forgotten": book.memories.count(book.scope, "forgotten"),
            "max_memories": book.max_memories,
            "embedder": book.embedder.model_id if book.embedder else None,
            "search": "words and meaning" if book.embedder else "words alone (no embedder)",
        }
