"""What every store of passage vectors must do; Qdrant runs in its client's local mode."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from vidence.knowledge.passage_vectors import PassageVectors, QdrantVectors, StoredVectors
from vidence.store.protocols import Floats
from vidence.store.sqlite import SqliteStore

VECTORS = ("sqlite", "qdrant")


@pytest.fixture(params=VECTORS)
def vectors(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PassageVectors]:
    if request.param == "sqlite":
        with SqliteStore.open(tmp_path) as store:
            for story in ("tale", "other"):
                store.stories.begin(story)
            yield StoredVectors(store.stories, 4)
        return
    pytest.importorskip("qdrant_client", reason="the extra vidence[qdrant] is not installed")
    yield QdrantVectors.connect(url=":memory:")


def _rows(*rows: tuple[float, ...]) -> Floats:
    made = np.array(rows, np.float32)
    unit: Floats = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit


def test_vectors_are_read_back_in_order(vectors: PassageVectors) -> None:
    rows = _rows((1, 0, 0, 0), (0, 1, 0, 0), (1, 1, 0, 0))
    vectors.write("tale", "one", "model", rows)
    kept = vectors.load("tale", "one", "model")
    assert kept is not None
    assert np.allclose(kept, rows, atol=1e-3)


def test_another_model_chapter_or_story_has_none(vectors: PassageVectors) -> None:
    vectors.write("tale", "one", "model", _rows((1, 0, 0, 0)))
    assert vectors.load("tale", "one", "other") is None
    assert vectors.load("tale", "two", "model") is None
    assert vectors.load("other", "one", "model") is None


def test_the_nearest_come_first(vectors: PassageVectors) -> None:
    vectors.write("tale", "one", "model", _rows((1, 0, 0, 0), (0, 1, 0, 0)))
    vectors.write("tale", "two", "model", _rows((1, 1, 0, 0)))
    found = vectors.search("tale", "model", _rows((0, 1, 0, 0))[0], 2)
    assert [(chapter, position) for chapter, position, _ in found] == [("one", 1), ("two", 0)]
    assert found[0][2] == pytest.approx(1.0, abs=1e-3)
    assert vectors.search("other", "model", _rows((0, 1, 0, 0))[0], 2) == []


def test_writing_again_replaces_and_remove_forgets(vectors: PassageVectors) -> None:
    vectors.write("tale", "one", "model", _rows((1, 0, 0, 0), (0, 1, 0, 0)))
    vectors.write("tale", "one", "model", _rows((0, 0, 1, 0)))
    kept = vectors.load("tale", "one", "model")
    assert kept is not None
    assert len(kept) == 1
    vectors.remove("tale")
    assert vectors.load("tale", "one", "model") is None


def test_only_the_chapters_kept_stay(vectors: PassageVectors) -> None:
    for chapter in ("one", "two"):
        vectors.write("tale", chapter, "model", _rows((1, 0, 0, 0)))
    vectors.write("other", "two", "model", _rows((1, 0, 0, 0)))
    vectors.prune("tale", ["one"])
    assert vectors.load("tale", "one", "model") is not None
    assert vectors.load("tale", "two", "model") is None
    assert vectors.load("other", "two", "model") is not None
