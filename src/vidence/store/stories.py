"""What the other rooms ask of a store about stories: their chapters, and their graphs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from vidence.schema.story import Chapter, ChapterHead, MajorEvent, StoryEntity, StoryGraph, StoryRelation

__all__ = ["GraphStore", "HoldsStories", "Stories"]


class Stories(Protocol):
    """The stories of a workspace: documents in order, their chapters, and what was computed from each."""

    def names(self) -> list[str]:
        """Return every story, the oldest first."""

    def begin(self, story: str) -> None:
        """Make sure that the story is there."""

    def remove(self, story: str) -> None:
        """Forget a story with its chapters; UnknownName when there is none."""

    def documents(self, story: str) -> list[str]:
        """Return the documents of a story in the order they were first added."""

    def replace_document(self, story: str, document: str, chapters: Sequence[Chapter]) -> int:
        """Store a document's chapters in place of those it had; return how many are new or changed."""

    def heads(self, story: str) -> list[ChapterHead]:
        """Return the chapters of all documents in order, numbered from 1, without their texts."""

    def chapter(self, story: str, head: ChapterHead) -> Chapter:
        """Return one chapter with its text."""

    def save(self, story: str, kind: str, key: str, fingerprint: str, body: bytes) -> None:
        """Keep what was computed from a chapter, under the digest of its text."""

    def load(self, story: str, kind: str, key: str) -> tuple[str, bytes] | None:
        """Return the fingerprint and the bytes that `save` kept."""

    def keys(self, story: str, kind: str) -> list[str]:
        """Return the keys under which something of this kind is kept."""

    def prune(self, story: str, kind: str, kept: Iterable[str]) -> None:
        """Forget what was computed under any other key than those kept."""

    def built(self, story: str) -> str:
        """Return the revision that the story's graph holds; empty when there is none."""

    def mark_built(self, story: str, revision: str) -> None:
        """Note the revision that the story's graph holds."""


class GraphStore(Protocol):
    """Entities, relations and events of stories; path finding and ranking are built on it."""

    name: str

    def write(self, story: str, graph: StoryGraph) -> None:
        """Store the graph of a story in place of the one it had, whole or not at all."""

    def remove(self, story: str) -> None:
        """Forget the graph of a story; nothing happens when there is none."""

    def entities(self, story: str) -> list[StoryEntity]:
        """Return every entity, the most mentioned first."""

    def named(self, story: str, name: str) -> list[StoryEntity]:
        """Return the entities with this name or alias, whatever its case, the most mentioned first."""

    def relations(self, story: str, entity_ids: Sequence[str]) -> list[StoryRelation]:
        """Return every relation that begins or ends at one of these entities, each once."""

    def events(self, story: str, entity_id: str | None = None) -> list[MajorEvent]:
        """Return the events of one entity, or all of them, in the order of the narration."""


class HoldsStories(Protocol):
    """The part of a store that keeps stories."""

    @property
    def stories(self) -> Stories: ...
    @property
    def graph(self) -> GraphStore: ...
