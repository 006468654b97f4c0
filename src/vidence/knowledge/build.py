"""Building what is known of a story: chapter by chapter, resumable, each chapter computed once.

counts of names per chapter → names of the story → analysis per chapter → merged names → graph

The counts, the analysis and the vectors of a chapter are kept under the digest of its text and a fingerprint
of what made them, so a killed run goes on where it stopped and a new chapter costs itself and the chapters
whose names it changed.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vidence.knowledge import names_en, names_zh
from vidence.knowledge.aliases import MergedName, Named, merge_names
from vidence.knowledge.analysis import ANALYSIS_VERSION, ChapterAnalysis, analyse
from vidence.knowledge.assemble import assemble
from vidence.knowledge.chapters import passages, split_chapters
from vidence.knowledge.extraction import (
    Extracted,
    StoryExtractor,
    add_extracted,
    chapter_of,
    part_key,
    parts_of,
)
from vidence.knowledge.mentions import NameFinder
from vidence.knowledge.passage_vectors import PassageVectors, StoredVectors
from vidence.knowledge.sources import SourceText
from vidence.language.identify import has_han, text_language
from vidence.models.protocols import TextEmbedder
from vidence.models.text.tagger import StoryTagger, open_tagger
from vidence.schema.agent import AnswerLanguage
from vidence.schema.story import Chapter, ChapterHead, StoryCard
from vidence.store import Store
from vidence.store.stories import GraphStore

__all__ = ["NameEdits", "StoryBuilder", "story_card", "story_language"]

Progress = Callable[[str, float], None]
_BATCH = 64
_EMBEDDED_CHARS = 200
"""A longer passage is embedded by its beginning: the vector says what it is about."""
_SAMPLE = 4000
"""Characters by which the language of a text is recognised."""


@dataclass(frozen=True)
class NameEdits:
    """Merges of names made or undone by hand."""

    split: frozenset[tuple[str, str]] = frozenset()
    joined: tuple[tuple[str, str], ...] = ()


class StoryBuilder:
    """Adds documents to a story and brings its graph up to date."""

    def __init__(
        self,
        store: Store,
        story: str,
        *,
        embedder: TextEmbedder | None,
        vectors: PassageVectors | None = None,
        graph: GraphStore | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._store, self._story, self._embedder = store, story, embedder
        own = StoredVectors(store.stories, embedder.dim) if embedder else None
        self._vectors, self.graph = vectors or own, graph or store.graph
        self._elsewhere = " ".join(one.name for one in (graph, vectors) if one and one.name != "sqlite")
        self._progress = progress or (lambda what, fraction: None)

    def add(self, document: SourceText) -> int:
        """Store the chapters of a document; return how many are new or changed."""
        chapters = split_chapters(document)
        with self._store.unit_of_work():
            self._store.stories.begin(self._story)
            return self._store.stories.replace_document(self._story, document.name, chapters)

    def extract(self, extractor: StoryExtractor) -> tuple[int, int]:
        """Have a language model read what it has not read yet; return how many rows held and how many not.

        Each part of a chapter is kept when it was read, so a run that was stopped asks for nothing twice.
        """
        stories, kept, refused = self._store.stories, 0, 0
        for head in self._each(stories.heads(self._story), "asking the language model"):
            text = stories.chapter(self._story, head).text
            for start, end in parts_of(text):
                key = part_key(head, start)
                known = stories.load(self._story, "extracted", key)
                if known and known[0] == extractor.fingerprint:
                    continue
                rows = extractor.extract(head, text, start, end)
                if rows is not None:
                    stories.save(self._story, "extracted", key, extractor.fingerprint, rows.to_bytes())
                    kept, refused = kept + rows.kept, refused + rows.refused
        return kept, refused

    def build(self) -> bool:
        """Compute what is missing and write the graph; return whether anything was to do."""
        stories = self._store.stories
        heads = stories.heads(self._story)
        revision = self.revision(heads)
        if stories.built(self._story) == revision:
            return False
        with self._store.locks.hold(f"story-{hashlib.sha256(self._story.encode()).hexdigest()[:16]}"):
            read = self._extracted()
            names = self._names(heads, read)
            finder = NameFinder({name: name for name in names})
            analyses = [
                (head, add_extracted(self._analysis(head, finder), read[head.sha256]))
                for head in self._each(heads, "reading chapters")
            ]
            people = self._people(names, analyses)
            self._embed(heads)
            graph = assemble(analyses, people, lambda head: stories.chapter(self._story, head))
            with self._store.unit_of_work():
                self.graph.write(self._story, graph)
                kept = [head.sha256 for head in heads]
                for kind in ("names", "analysis"):
                    stories.prune(self._story, kind, kept)
                keys = stories.keys(self._story, "extracted")
                stories.prune(self._story, "extracted", [one for one in keys if chapter_of(one) in set(kept)])
                if self._vectors is not None:
                    self._vectors.prune(self._story, kept)
                stories.mark_built(self._story, revision)
        return True

    def revision(self, heads: Sequence[ChapterHead]) -> str:
        """Return a digest of the chapters, of the version, of merges made by hand and of other stores."""
        edits = self.edits()
        parts = [str(ANALYSIS_VERSION), *(head.sha256 for head in heads)]
        parts += [f"{one}={other}" for one, other in (*sorted(edits.split), *edits.joined)]
        parts.append(self._embedder.model_id if self._embedder else "")
        parts += [self._elsewhere] if self._elsewhere else []
        for key in self._store.stories.keys(self._story, "extracted"):
            row = self._store.stories.load(self._story, "extracted", key)
            parts.append(f"{key} {row[0] if row else ''}")
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    def edits(self) -> NameEdits:
        """Return the merges made or undone by hand."""
        kept = self._store.stories.load(self._story, "edits", "names")
        rows = json.loads(kept[1]) if kept else {"split": [], "joined": []}
        return NameEdits(
            frozenset((one, other) for one, other in rows["split"]),
            tuple((one, other) for one, other in rows["joined"]),
        )

    def edit(self, edits: NameEdits) -> None:
        """Keep merges made or undone by hand; the next build uses them."""
        body = json.dumps({"split": sorted(edits.split), "joined": list(edits.joined)}, ensure_ascii=False)
        self._store.stories.save(self._story, "edits", "names", "1", body.encode())

    @cached_property
    def _tagger(self) -> StoryTagger | None:
        return open_tagger(self._embedder)

    def _each(self, heads: Sequence[ChapterHead], what: str) -> Iterator[ChapterHead]:
        for number, head in enumerate(heads):
            self._progress(what, number / max(len(heads), 1))
            yield head
        self._progress(what, 1.0)

    def _names(
        self, heads: Sequence[ChapterHead], read: Mapping[str, Sequence[Extracted]]
    ) -> dict[str, tuple[int, str]]:
        """Return the names of the story with how much speaks for each and its kind."""
        chinese: list[dict[str, dict[str, int]]] = []
        english: list[dict[str, dict[str, int]]] = []
        for head in self._each(heads, "finding names"):
            counts = self._counts(head)
            chinese.append(counts["zh"])
            english.append(counts["en"])
        found = {name: (number, "person") for name, number in names_zh.select_names(chinese).items()}
        told = [one.names for head in heads for one in read[head.sha256]]
        proposed = {name: (1, kind) for names in told for name, kind in names.items()}
        return {**proposed, **found, **names_en.select_names(english)}

    def _extracted(self) -> dict[str, list[Extracted]]:
        """Return what a language model read, where one did, by the digest of the chapter."""
        found: dict[str, list[Extracted]] = defaultdict(list)
        for key in self._store.stories.keys(self._story, "extracted"):
            row = self._store.stories.load(self._story, "extracted", key)
            if row is not None:
                found[chapter_of(key)].append(Extracted.from_bytes(row[1]))
        return found

    def _counts(self, head: ChapterHead) -> dict[str, dict[str, dict[str, int]]]:
        fingerprint = f"{ANALYSIS_VERSION}"
        kept = self._store.stories.load(self._story, "names", head.sha256)
        if kept and kept[0] == fingerprint:
            rows: dict[str, dict[str, dict[str, int]]] = json.loads(zlib.decompress(kept[1]))
            return rows
        text = self._store.stories.chapter(self._story, head).text
        counts = {
            "zh": names_zh.count_names(text) if has_han(text) else {},
            "en": names_en.count_names(text) if text_language(text) != "zh" else {},
        }
        body = zlib.compress(json.dumps(counts, ensure_ascii=False).encode())
        self._store.stories.save(self._story, "names", head.sha256, fingerprint, body)
        return counts

    def _analysis(self, head: ChapterHead, finder: NameFinder) -> ChapterAnalysis:
        text = self._store.stories.chapter(self._story, head).text
        mentions = finder.find(text)
        surfaces = "\n".join(sorted({one.entity_id for one in mentions}))
        tagger = self._tagger
        made_by = f"{ANALYSIS_VERSION} {tagger.model_id if tagger else ''}\n{surfaces}"
        fingerprint = hashlib.sha256(made_by.encode()).hexdigest()[:16]
        kept = self._store.stories.load(self._story, "analysis", head.sha256)
        if kept and kept[0] == fingerprint:
            return ChapterAnalysis.from_bytes(kept[1])
        analysis = analyse(text, mentions, finder, tagger)
        self._store.stories.save(self._story, "analysis", head.sha256, fingerprint, analysis.to_bytes())
        return analysis

    def _people(
        self, names: dict[str, tuple[int, str]], analyses: Sequence[tuple[ChapterHead, ChapterAnalysis]]
    ) -> list[MergedName]:
        counts: Counter[str] = Counter()
        spread: Counter[str] = Counter()
        apart: Counter[tuple[str, str]] = Counter()
        stated: list[tuple[str, str, str]] = []
        for head, one in analyses:
            counts.update(one.counts)
            spread.update(one.counts.keys())
            apart.update(one.apart)
            for alias, name, start, end in one.aliases:
                text = self._store.stories.chapter(self._story, head).text[start:end]
                stated.append((alias, name, text))
        found = {
            name: Named(counts[name], kind, spread[name]) for name, (_, kind) in names.items() if counts[name]
        }
        edits = self.edits()
        return merge_names(found, apart=apart, stated=stated, split=edits.split, joined=edits.joined)

    def _embed(self, heads: Sequence[ChapterHead]) -> None:
        """Embed the passages of every chapter that has no vectors yet."""
        if self._embedder is None or self._vectors is None:
            return
        model = self._embedder
        for head in self._each(heads, "embedding passages"):
            if self._vectors.load(self._story, head.sha256, model.model_id) is not None:
                continue
            text = self._store.stories.chapter(self._story, head).text
            texts = [text[one.start : one.end][:_EMBEDDED_CHARS] for one in passages(text)]
            rows = [model.embed(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)]
            if rows:
                self._vectors.write(self._story, head.sha256, model.model_id, np.concatenate(rows))


def story_language(chapter: Chapter | None) -> AnswerLanguage:
    """Return the language a story is written in."""
    return "zh" if chapter is not None and text_language(chapter.text[:_SAMPLE]) == "zh" else "en"


def story_card(store: Store, story: str, builder: StoryBuilder) -> StoryCard:
    """Return what a list shows of a story."""
    graph = builder.graph
    heads = store.stories.heads(story)
    first = store.stories.chapter(story, heads[0]) if heads else None
    entities = graph.entities(story)
    relations = graph.relations(story, [one.entity_id for one in entities])
    revision = builder.revision(heads)
    return StoryCard(
        name=story,
        language=story_language(first),
        documents=tuple(store.stories.documents(story)),
        chapters=len(heads),
        num_chars=sum(head.num_chars for head in heads),
        is_complete=store.stories.built(story) == revision,
        entities=len(entities),
        relations=len(relations),
        events=len(graph.events(story)),
        revision=revision,
    )
