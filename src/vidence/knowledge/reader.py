"""A story as the tools read it: its chapters, passages, people and what a search finds."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from vidence.errors import OpRetry
from vidence.knowledge.analysis import ChapterAnalysis, within
from vidence.knowledge.build import story_language
from vidence.knowledge.chapters import Passage, passages, quote_at, sentence_spans
from vidence.knowledge.graph.rank import PassageGraph, follow_names, names_in
from vidence.knowledge.mentions import Mention, NameFinder
from vidence.knowledge.passage_vectors import PassageVectors, StoredVectors
from vidence.language.identify import has_han
from vidence.language.tokens import index_text, query_terms, term_id
from vidence.memory.documents import Document
from vidence.memory.hybrid_retriever import HybridRetriever
from vidence.models.protocols import TextEmbedder
from vidence.schema.agent import AnswerLanguage
from vidence.schema.story import Chapter, ChapterHead, Quote, StoryEntity
from vidence.store import Store
from vidence.store.protocols import Floats
from vidence.store.stories import GraphStore

__all__ = ["FoundPassage", "StoryReader"]

_CHAPTERS_HELD = 16
_NEAR = 3


@dataclass(frozen=True)
class FoundPassage:
    """A passage that a search found."""

    head: ChapterHead
    passage: Passage
    score: float


class StoryReader:
    """One story, read from the store; passages and names are loaded when first used."""

    def __init__(
        self,
        store: Store,
        story: str,
        *,
        embedder: TextEmbedder | None = None,
        vectors: PassageVectors | None = None,
        graph: GraphStore | None = None,
    ) -> None:
        self._store, self.story, self._embedder = store, story, embedder
        own = StoredVectors(store.stories, embedder.dim) if embedder else None
        self._vectors, self.graph = vectors or own, graph or store.graph
        self.heads = store.stories.heads(story)
        self.chapter = lru_cache(maxsize=_CHAPTERS_HELD)(self._chapter)

    @property
    def revision(self) -> str:
        """The revision of the story's graph."""
        return self._store.stories.built(self.story)

    @cached_property
    def language(self) -> AnswerLanguage:
        """The language the story is written in."""
        return story_language(self.chapter(1) if self.heads else None)

    @cached_property
    def entities(self) -> dict[str, StoryEntity]:
        """Everybody by id, the most mentioned first."""
        return {one.entity_id: one for one in self.graph.entities(self.story)}

    @cached_property
    def finder(self) -> NameFinder:
        """Finds the names of the story in any text."""
        names: dict[str, str] = {}
        for one in self.entities.values():
            for name in (one.name, *one.aliases):
                names.setdefault(name, one.entity_id)
        return NameFinder(names)

    def name_of(self, entity_id: str) -> str:
        """Return the name of an entity; an id that is no entity is a name as it stands in the text."""
        known = self.entities.get(entity_id)
        return known.name if known else entity_id

    def resolve(self, name: str) -> StoryEntity:
        """Return the entity meant by a name, an alias or a part of one; OpRetry with near names if none is.

        A name that stands in the text but was not recognised is returned as an entity of its own.
        """
        wanted = name.strip().strip("“”\"'《》")
        if not wanted:
            raise OpRetry("The name is empty. Give the name of somebody in the story.")
        if found := self.graph.named(self.story, wanted):
            return found[0]
        if has_han(wanted) and len(wanted) > 2 and (given := self.graph.named(self.story, wanted[1:])):
            return given[0]
        if count := self._count(wanted):
            return StoryEntity(entity_id=wanted, name=wanted, mentions=count)
        partial = [one for one in self.entities.values() if self._is_part(wanted, one)]
        if partial:
            return partial[0]
        near = ", ".join(self.near_names(wanted))
        hint = f" Did you mean {near}?" if near else " `lookup_knowledge` knows the names that the story has."
        raise OpRetry(f"Nobody called {wanted!r} occurs in {self.story!r}.{hint}")

    def near_names(self, name: str) -> list[str]:
        """Return names of the story that look like this one."""
        known = [one for entity in self.entities.values() for one in (entity.name, *entity.aliases)]
        near = difflib.get_close_matches(name, known, n=_NEAR, cutoff=0.5)
        return near or [one for one in known if set(name) & set(one) and has_han(name)][:_NEAR]

    def finder_with(self, entities: Sequence[StoryEntity]) -> NameFinder:
        """Return a finder that also knows entities which the graph does not hold."""
        new = {one.name: one.entity_id for one in entities if one.entity_id not in self.entities}
        if not new:
            return self.finder
        return NameFinder({name: self.finder.owner(name) for name in self.finder.names} | new)

    def sentences_with(
        self, names: Sequence[str], finder: NameFinder
    ) -> Iterator[tuple[Chapter, int, int, list[Mention]]]:
        """Yield every sentence that has one of these names, with the mentions in it."""
        for head in self.heads:
            chapter = self.chapter(head.number)
            if not any(name in chapter.text for name in names):
                continue
            mentions = finder.find(chapter.text)
            for start, end in self.sentences(head.number):
                text = chapter.text[start:end]
                if any(name in text for name in names):
                    yield chapter, start, end, within(mentions, start, end)

    def sentences(self, number: int) -> list[tuple[int, int]]:
        """Return where the sentences of a chapter stand."""
        return sentence_spans(self.chapter(number).text)

    def search(self, query: str, limit: int) -> tuple[list[FoundPassage], float]:
        """Return the passages that answer a query best, and the probability that any does.

        The best ones lead on to passages that share a name with them and hold the rest of the question.
        """
        index, rows = self._index

        def lead_on(scores: Floats, asked: Mapping[int, float]) -> Floats:
            return follow_names(scores, self._links, asked, lambda at: index.bm25.text(at).terms)

        found = index.search(query, limit, rerank=lead_on)
        hits = [FoundPassage(*rows[hit.index], hit.score) for hit in found.hits]
        return hits, found.answerable

    def absent(self, query: str) -> tuple[str, ...]:
        """Return the terms of a query that stand nowhere in the story."""
        index, _ = self._index
        return tuple(
            term for term in query_terms(query) if not len(index.bm25.matches(term_id(term)).documents)
        )

    def speeches(self, number: int, start: int, end: int) -> list[Quote]:
        """Return the quotations inside a part of a chapter whose speaker is known."""
        head = self.heads[number - 1]
        kept = self._store.stories.load(self.story, "analysis", head.sha256)
        if kept is None:
            return []
        return [
            self.quote(number, one.start, one.end, speaker=self._owner_name(one.speaker))
            for one in ChapterAnalysis.from_bytes(kept[1]).speeches
            if one.speaker is not None and start <= one.start and one.end <= end and one.how != "near"
        ]

    def quote(self, number: int, start: int, end: int, *, speaker: str | None = None) -> Quote:
        """Return words of a chapter with their place."""
        return quote_at(self.chapter(number), start, end, speaker=speaker)

    def holds(self, quote: Quote) -> bool:
        """Say whether a quotation stands in the story at the place it names."""
        if not 1 <= quote.chapter <= len(self.heads):
            return False
        return self.chapter(quote.chapter).text[quote.start : quote.end] == quote.text

    @cached_property
    def _index(self) -> tuple[HybridRetriever, list[tuple[ChapterHead, Passage]]]:
        index = HybridRetriever(embedder=self._embedder)
        rows: list[tuple[ChapterHead, Passage]] = []
        documents = []
        for head in self.heads:
            text = self._store.stories.chapter(self.story, head).text
            model_id = self._embedder.model_id if self._embedder else ""
            vectors = self._vectors.load(self.story, head.sha256, model_id) if self._vectors else None
            for number, one in enumerate(passages(text)):
                words = text[one.start : one.end]
                rows.append((head, one))
                vector = vectors[number : number + 1] if vectors is not None else None
                documents.append((Document(words, group=head.sha256), index_text(words), vector))
        index.extend_indexed(documents)
        return index, rows

    @cached_property
    def _links(self) -> PassageGraph:
        """The passages of the index and the names that they share: people under one id, others as written."""
        index, _ = self._index
        return PassageGraph(
            [{one.entity_id for one in self.finder.find(text)} | names_in(text) for text in index.corpus]
        )

    def _owner_name(self, surface: str) -> str:
        return self.name_of(self.finder.owner(surface)) if surface in self.finder.names else surface

    def _chapter(self, number: int) -> Chapter:
        return self._store.stories.chapter(self.story, self.heads[number - 1])

    def _count(self, name: str) -> int:
        return sum(
            len(re.findall(re.escape(name), self._store.stories.chapter(self.story, head).text))
            for head in self.heads
        )

    def _is_part(self, name: str, entity: StoryEntity) -> bool:
        if has_han(name):
            return name in entity.name or (len(name) > 1 and entity.name in name)
        return name.casefold() in entity.name.casefold().split()
