"""Long-term memory: memories in the workspace's store, retrieved by words and meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

from vidence.errors import UserError
from vidence.memory.book import MemoryBook
from vidence.memory.content_analyzer import ContentAnalyzer
from vidence.memory.hybrid_retriever import HybridRetriever
from vidence.memory.relevance import NOTHING_RELEVANT
from vidence.memory.summary import summarise_window
from vidence.models.protocols import TextEmbedder
from vidence.schema.memory import (
    ConversationMessage,
    Memory,
    MemorySummary,
    MemoryType,
    NewMemory,
    RetrievalResult,
)
from vidence.store import Memories, open_store

__all__ = ["LongMemory", "RetrieverConfig"]

RetrieverConfig = Mapping[str, Any]


class LongMemory:
    """The memories of one scope; written at once, so that a restart loses nothing."""

    def __init__(
        self,
        memories: Memories,
        *,
        scope: str = "main",
        max_memories: int = 1000,
        embedder: TextEmbedder | None = None,
        retriever_config: RetrieverConfig | None = None,
        content_analyzer: ContentAnalyzer | None = None,
    ) -> None:
        config = dict(retriever_config or {})
        config.pop("use_api_embedding", None)
        alpha, adaptive = float(config.pop("alpha", 0.5)), bool(config.pop("adaptive", True))
        if config:
            raise UserError(
                f"Unknown retriever setting {next(iter(config))!r}. "
                "Known: use_api_embedding, alpha, adaptive."
            )
        if not 0 <= alpha <= 1:
            raise UserError(f"alpha is {alpha:g}; it must lie between 0 (words only) and 1 (meaning only).")
        self.book = MemoryBook(
            memories,
            scope,
            embedder=embedder,
            max_memories=max_memories,
            alpha=alpha,
            adaptive=adaptive,
        )
        self.content_analyzer = content_analyzer or ContentAnalyzer()
        self.load_state()

    @classmethod
    def open(cls, storage_dir: Path | str = "./memory_store", **options: Any) -> LongMemory:
        """Open the memories in a folder of their own, making it if there is none."""
        return cls(open_store(Path(storage_dir)).memories, **options)

    @property
    def retriever(self) -> HybridRetriever:
        return self.book.retriever

    @property
    def long_term_memories(self) -> list[str]:
        """The contents, in the order of `index` in results; "" where one was replaced or forgotten."""
        self.book.sync()
        return list(self.retriever.corpus)

    @property
    def memory_metadata(self) -> list[dict[str, Any]]:
        """The metadata, in the same order."""
        self.book.sync()
        return [_metadata(memory) for memory in self.book.rows]

    def add_memory(
        self, content: str, memory_type: str = "observation", metadata: Mapping[str, Any] | None = None
    ) -> Memory:
        """Write a memory; metadata may name any of its fields, the rest is stored as it is."""
        if memory_type not in get_args(MemoryType):
            raise UserError(f"{memory_type!r} is not a memory type. Use {', '.join(get_args(MemoryType))}.")
        given = dict(metadata or {})
        analysis = given.pop("analysis", None) or self.content_analyzer.analyze_content(content)
        fields = {name: given.pop(name) for name in list(given) if name in _FIELDS}
        fields.setdefault("importance", analysis["importance"])
        kept = {**given, "analysis": analysis}
        new = NewMemory.model_validate(
            {"content": content, "memory_type": memory_type, **fields, "metadata": kept}
        )
        return self.book.write(new).memory

    def add_conversation_summary(
        self, window: Sequence[ConversationMessage], window_id: int, session_id: str
    ) -> MemorySummary:
        """Store who said what and when in a window, linked to its turns."""
        if not window:
            raise UserError("The window is empty; there is nothing to sum up.")
        original = "\n".join(f"{message['role']}: {message['content']}" for message in window)
        analysis = self.content_analyzer.analyze_content(original)
        content = self._summary(window, analysis)
        memory = self.add_memory(
            content,
            "conversation_summary",
            {
                "session_id": session_id,
                "said_at": window[0]["timestamp"],
                "source": f"conversation {session_id}",
                "derived_from": tuple(dict.fromkeys(message["turn_id"] for message in window)),
                "window_id": window_id,
                "original_content": original,
                "analysis": analysis,
            },
        )
        return MemorySummary(
            content=content,
            original_content=original,
            analysis=memory.metadata["analysis"],
            type="conversation_summary",
            timestamp=memory.created_at,
            metadata=_metadata(memory),
        )

    def _summary(self, window: Sequence[ConversationMessage], analysis: Mapping[str, Any]) -> str:
        """Return the engine's summary with the day it was said, else the sentences that tell most."""
        told = str(analysis.get("summary") or "").strip()
        if analysis.get("method") != "llm" or not told:
            return summarise_window(window)
        when = datetime.fromtimestamp(window[0]["timestamp"]).strftime("%Y-%m-%d %H:%M")
        return f"[{when}] {told}"

    def retrieve_memories(self, query: str, k: int = 5) -> list[RetrievalResult]:
        """Return the memories that answer a question, the best first; none when none does."""
        if k < 1 or not query.strip():
            return []
        recalled = self.book.recall(query, k)
        if recalled.found.answerable < NOTHING_RELEVANT:
            return []
        return [
            RetrievalResult(
                content=memory.content,
                metadata={**_metadata(memory), "relevance": round(hit.relevance, 3)},
                index=hit.index,
            )
            for (memory, _), hit in zip(recalled.memories, recalled.found.hits, strict=True)
        ]

    def save_state(self) -> bool:
        """Return True: each memory is on disk as soon as it is added."""
        self.book.sync()
        return True

    def load_state(self) -> bool:
        """Read what is on disk; False when there is nothing yet."""
        self.book.sync()
        return len(self.retriever.corpus) > 0


_FIELDS = set(NewMemory.model_fields) - {"content", "memory_type", "metadata"}


def _metadata(memory: Memory) -> dict[str, Any]:
    fields = memory.model_dump(mode="json", exclude={"content", "metadata"})
    return {**memory.metadata, **fields, "type": memory.memory_type, "timestamp": memory.created_at}
