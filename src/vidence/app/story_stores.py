"""Where a workspace keeps the knowledge of its stories: its own database, or others by a setting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vidence.errors import SettingsError
from vidence.knowledge.passage_vectors import PassageVectors
from vidence.registry import Registry
from vidence.settings import StorySettings
from vidence.store import Store
from vidence.store.stories import GraphStore

__all__ = ["GRAPHS", "VECTORS", "StoryStores", "open_story_stores"]

_BUILT_IN = "sqlite"
GRAPHS = Registry(
    "graph store", {"neo4j": "vidence.knowledge.graph.neo4j:Neo4jGraph"}, group="vidence.graph_stores"
)
VECTORS = Registry(
    "vector store",
    {"qdrant": "vidence.knowledge.passage_vectors:QdrantVectors"},
    group="vidence.vector_stores",
)
"""Name to a class whose `connect` takes the options of the settings."""


@dataclass(frozen=True)
class StoryStores:
    """The graph store, and the vector store where it is not the workspace's own."""

    graph: GraphStore
    vectors: PassageVectors | None
    closing: tuple[Callable[[], None], ...] = ()

    def close(self) -> None:
        """Close the connections."""
        for close in self.closing:
            close()


def open_story_stores(store: Store, settings: StorySettings) -> StoryStores:
    """Return the stores that the settings choose; a wrong name or option is a SettingsError."""
    graph = _connected(GRAPHS, settings.graph, settings)
    vectors = _connected(VECTORS, settings.vectors, settings)
    closing = tuple(one.close for one in (graph, vectors) if one is not None)
    return StoryStores(graph or store.graph, vectors, closing)


def _connected(known: Registry, name: str, settings: StorySettings) -> Any:
    if name == _BUILT_IN:
        return None
    connect = known.resolve(name).connect
    options = settings.options.get(name, {})
    try:
        return connect(**options)
    except TypeError as exc:
        raise SettingsError(f"story.options.{name} has an option that {name} does not take: {exc}") from exc
