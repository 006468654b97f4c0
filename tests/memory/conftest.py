"""A fresh store of memories for each test, and an embedder that needs no model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vidence.language.tokens import term_id, terms
from vidence.memory import LongMemory, MemoryBook
from vidence.store.sqlite import Database, SqliteMemories


class HashEmbedder:
    """Vectors by random projection of the words: texts that share words are alike."""

    model_id = "hash-test"
    dim = 64

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = []
        for text in texts:
            row = np.full(self.dim, 1e-3, np.float32)
            for term in terms(text):
                row += np.random.default_rng(abs(term_id(term))).standard_normal(self.dim).astype(np.float32)
            rows.append(row / np.linalg.norm(row))
        return np.stack(rows)


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder()


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with Database.open(tmp_path / "home" / "vidence.db") as opened:
        yield opened


@pytest.fixture
def memories(db: Database) -> SqliteMemories:
    return SqliteMemories(db)


@pytest.fixture
def book(memories: SqliteMemories, embedder: HashEmbedder) -> MemoryBook:
    return MemoryBook(memories, "main", embedder=embedder)


@pytest.fixture
def long_memory(memories: SqliteMemories, embedder: HashEmbedder) -> LongMemory:
    return LongMemory(memories, embedder=embedder)
