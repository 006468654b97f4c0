"""Vectors of passages behind one Protocol: in the workspace's own store, or in Qdrant."""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, Self

import numpy as np

from vidence.errors import BackendError, MissingExtra, SettingsError
from vidence.store.protocols import Floats
from vidence.store.stories import Stories

__all__ = ["PassageVectors", "QdrantVectors", "StoredVectors"]


class PassageVectors(Protocol):
    """The vectors of a story's passages, chapter by chapter."""

    name: str

    def write(self, story: str, chapter: str, model_id: str, vectors: Floats) -> None:
        """Store the vectors of a chapter (named by its digest) in place of those it had."""

    def load(self, story: str, chapter: str, model_id: str) -> Floats | None:
        """Return the vectors of a chapter in order; None when this model made none."""

    def search(self, story: str, model_id: str, query: Floats, limit: int) -> list[tuple[str, int, float]]:
        """Return the nearest passages: chapter, position in it, cosine; the nearest first."""

    def prune(self, story: str, kept: Iterable[str]) -> None:
        """Forget the vectors of any chapter but those kept."""

    def remove(self, story: str) -> None:
        """Forget every vector of a story."""


class StoredVectors(PassageVectors):
    """Vectors in half precision beside the chapters they were made from."""

    name = "sqlite"

    def __init__(self, stories: Stories, dim: int) -> None:
        self._stories, self._dim = stories, dim

    def write(self, story: str, chapter: str, model_id: str, vectors: Floats) -> None:
        self._stories.save(story, "vectors", chapter, model_id, vectors.astype(np.float16).tobytes())

    def load(self, story: str, chapter: str, model_id: str) -> Floats | None:
        kept = self._stories.load(story, "vectors", chapter)
        if kept is None or kept[0] != model_id:
            return None
        return np.frombuffer(kept[1], np.float16).reshape(-1, self._dim).astype(np.float32)

    def search(self, story: str, model_id: str, query: Floats, limit: int) -> list[tuple[str, int, float]]:
        found: list[tuple[str, int, float]] = []
        for chapter in self._stories.keys(story, "vectors"):
            vectors = self.load(story, chapter, model_id)
            if vectors is not None and len(vectors):
                scores = vectors @ query
                best = np.argsort(-scores)[:limit]
                found += [(chapter, int(at), float(scores[at])) for at in best]
        return sorted(found, key=lambda row: (-row[2], row[0], row[1]))[:limit]

    def prune(self, story: str, kept: Iterable[str]) -> None:
        self._stories.prune(story, "vectors", kept)

    def remove(self, story: str) -> None:
        self.prune(story, ())


class QdrantVectors(PassageVectors):
    """Vectors in Qdrant, one collection a story and model (`pip install 'vidence[qdrant]'`)."""

    name = "qdrant"

    def __init__(self, client: Any) -> None:
        self._client = client

    @classmethod
    def connect(cls, *, url: str = "", api_key_env: str = "") -> Self:
        """Connect to a server, or with `:memory:` or a folder use the client's local mode."""
        if not url:
            raise SettingsError("The Qdrant vector store needs an address, such as http://localhost:6333.")
        try:
            from qdrant_client import QdrantClient
        except ImportError as exc:
            raise MissingExtra("The Qdrant vector store", "qdrant") from exc
        with _translated():
            if url.startswith(("http://", "https://")):
                client = QdrantClient(url=url, api_key=os.environ.get(api_key_env) or None)
            else:
                client = QdrantClient(":memory:") if url == ":memory:" else QdrantClient(path=url)
        connected = cls(client)
        connected.name = f"qdrant {url}"
        return connected

    def close(self) -> None:
        """Let go of the server or of the folder."""
        self._client.close()

    def write(self, story: str, chapter: str, model_id: str, vectors: Floats) -> None:
        from qdrant_client import models

        name = self._collection(story, model_id)
        with _translated():
            if not self._client.collection_exists(name):
                size = models.VectorParams(size=int(vectors.shape[1]), distance=models.Distance.COSINE)
                self._client.create_collection(name, vectors_config=size)
            self._client.delete(name, points_selector=models.FilterSelector(filter=_of(chapter)))
            points = [
                models.PointStruct(
                    id=str(uuid.uuid5(uuid.NAMESPACE_OID, f"{chapter}/{at}")),
                    vector=row.tolist(),
                    payload={"chapter": chapter, "position": at},
                )
                for at, row in enumerate(vectors)
            ]
            if points:
                self._client.upsert(name, points=points, wait=True)

    def load(self, story: str, chapter: str, model_id: str) -> Floats | None:
        name = self._collection(story, model_id)
        with _translated():
            if not self._client.collection_exists(name):
                return None
            points, offset = [], None
            while True:
                page, offset = self._client.scroll(
                    name, scroll_filter=_of(chapter), with_vectors=True, limit=256, offset=offset
                )
                points += page
                if offset is None:
                    break
        if not points:
            return None
        ordered = sorted(points, key=lambda point: point.payload["position"])
        return np.array([point.vector for point in ordered], np.float32)

    def search(self, story: str, model_id: str, query: Floats, limit: int) -> list[tuple[str, int, float]]:
        name = self._collection(story, model_id)
        with _translated():
            if not self._client.collection_exists(name):
                return []
            found = self._client.query_points(name, query=query.tolist(), limit=limit).points
        rows = [
            (str(one.payload["chapter"]), int(one.payload["position"]), float(one.score)) for one in found
        ]
        return sorted(rows, key=lambda row: (-row[2], row[0], row[1]))

    def prune(self, story: str, kept: Iterable[str]) -> None:
        from qdrant_client import models

        known = models.FieldCondition(key="chapter", match=models.MatchAny(any=list(kept)))
        with _translated():
            for name in self._collections(story):
                others = models.FilterSelector(filter=models.Filter(must_not=[known]))
                self._client.delete(name, points_selector=others)

    def remove(self, story: str) -> None:
        with _translated():
            for name in self._collections(story):
                self._client.delete_collection(name)

    def _collections(self, story: str) -> list[str]:
        names = [one.name for one in self._client.get_collections().collections]
        return [name for name in names if name.startswith(_prefix(story))]

    def _collection(self, story: str, model_id: str) -> str:
        return f"{_prefix(story)}{hashlib.sha256(model_id.encode()).hexdigest()[:8]}"


def _prefix(story: str) -> str:
    return f"vidence_{hashlib.sha256(story.encode()).hexdigest()[:16]}_"


def _of(chapter: str) -> Any:
    from qdrant_client import models

    match = models.MatchValue(value=chapter)
    return models.Filter(must=[models.FieldCondition(key="chapter", match=match)])


@contextmanager
def _translated() -> Iterator[None]:
    """Turn failures of the client into ours."""
    try:
        yield
    except Exception as exc:
        raise BackendError(f"Qdrant failed: {exc}") from exc
