"""Bilingual retrieval of texts by their words (BM25) and by their meaning (embeddings)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vidence.language.dates import DateSpan, find_dates, to_date
from vidence.language.question import Cues, read_question
from vidence.language.tokens import IndexedText, index_text
from vidence.memory.bm25 import InvertedIndex, LazyList
from vidence.memory.documents import Document, DocumentTable
from vidence.memory.embedding import MAX_EMBEDDED_CHARS, as_told_by, embed_document
from vidence.memory.lexical import LexicalScores, SubjectLinks, attribute, score_words
from vidence.memory.relevance import MatchEvidence, answerable, answerable_by, relevance
from vidence.memory.vectors import VectorTable
from vidence.models.protocols import TextEmbedder

__all__ = ["HybridRetriever", "Retrieved", "RetrievedText"]

_DENSE_CONTEXT = {-1: 0.4, 1: 0.3, -2: 0.2}
_OTHER_SPEAKER = 0.65
_DATE_BONUS = 0.3
_SOON_DAYS = 10
_DATED_ANSWER = 0.6
_EXACT_BONUS = 0.5
_GROUP_BONUS = 0.1
_IMPORTANCE_BONUS = 0.05
_FRESH_BONUS = 0.2
_JUDGED = 5
"""How many of the best texts decide whether anything answers the question."""
_CANDIDATES = 50
_DATED_CHARS = 2000
_SHORT, _LONG = 25.0, 70.0
"""Mean terms per text: up to the first an embedding covers a text, beyond the second hardly."""
_LEAST_ALPHA = 0.5
_FEW = 10
"""With fewer texts than this the lowest similarity is no usable zero point."""

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Rerank = Callable[[Floats, Mapping[int, float]], Floats]
"""Takes the score of every text and the question's terms with how rare each is; returns other scores."""


@dataclass(frozen=True)
class RetrievedText:
    """One text found, by its number."""

    index: int
    score: float
    relevance: float
    evidence: MatchEvidence


@dataclass(frozen=True)
class Retrieved:
    """The result of a search."""

    hits: tuple[RetrievedText, ...]
    answerable: float
    """Probability that any of the hits answers the question."""
    seconds: float
    """Time the search took, without embedding the question."""


class HybridRetriever:
    """BM25 and sentence vectors over a corpus that grows by one text at a time."""

    def __init__(
        self,
        *,
        embedder: TextEmbedder | None = None,
        alpha: float = 0.5,
        adaptive: bool = True,
        clock: Callable[[], float] = time.time,
    ) -> None:
        if not 0 <= alpha <= 1:
            raise ValueError(f"alpha is {alpha}; it must lie between 0 (words only) and 1 (meaning only)")
        self.embedder = embedder
        self.alpha = alpha
        self.adaptive = adaptive
        self.corpus: LazyList[str] = LazyList()
        self.bm25 = InvertedIndex()
        self.documents = DocumentTable()
        self._vectors = VectorTable()
        self._links = SubjectLinks()
        self._dates_in: dict[int, tuple[date, ...]] = {}
        self._clock = clock

    def add_documents(self, documents: Sequence[str | Document]) -> None:
        """Add texts; those already there are left as they are."""
        whole = [Document(one) if isinstance(one, str) else one for one in documents]
        embedder = self.embedder
        self.extend_indexed(
            [
                (
                    one,
                    index_text(one.text, subject=one.subject or ""),
                    embed_document(embedder, one.text, subject=one.subject) if embedder else None,
                )
                for one in whole
            ]
        )

    def extend_indexed(self, rows: Sequence[tuple[Document, IndexedText, Floats | None]]) -> None:
        """Add texts whose terms and vectors are known already."""
        self.bm25.extend([text for _, text, _ in rows])
        for document, _, vectors in rows:
            self.corpus.append(document.text)
            self._vectors.add(vectors)
            self._links.add(self.documents.add(document), document.subject)

    def set_vectors(self, index: int, vectors: Floats) -> None:
        """Give a text the vectors it was stored without."""
        self._vectors.set(index, vectors)

    def remove(self, index: int) -> None:
        """Remove a text from every later search."""
        self.bm25.remove(index)
        self.corpus[index] = ""

    def retrieve(self, query: str, k: int = 5) -> list[int]:
        """Return the numbers of the k best texts, the best first."""
        return [hit.index for hit in self.search(query, k).hits]

    def search(
        self,
        query: str,
        k: int = 5,
        *,
        allowed: Mask | None = None,
        now: float | None = None,
        rerank: Rerank | None = None,
    ) -> Retrieved:
        """Return the best texts, the relevance of each, and the probability that any answers.

        Args:
            rerank: decides the order of the texts from their scores.
        """
        started = time.perf_counter()
        cues = self._read(query, now)
        vector, embedding_s = self._embed(as_told_by(query, cues.speakers))
        words, scores, similarity = self._score(cues, vector)
        ranked = scores if rerank is None else rerank(scores, dict(zip(cues.terms, words.idf, strict=True)))
        scores = np.where(self._eligible(allowed), scores, -np.inf)
        order = _best(np.where(np.isfinite(scores), ranked, -np.inf), max(k, _JUDGED))
        hits = [self._hit(int(i), cues, words, scores, similarity) for i in order if np.isfinite(scores[i])]
        probability = self._answerable(cues, hits)
        took = time.perf_counter() - started
        return Retrieved(tuple(hits[:k]), probability, took - embedding_s)

    def rank_groups(self, query: str, *, now: float | None = None) -> list[int]:
        """Return the numbers of the groups, the one most likely to hold the answer first."""
        cues = self._read(query, now)
        _, scores, _ = self._score(cues, self._embed(as_told_by(query, cues.speakers))[0])
        return [int(group) for group in np.argsort(-self._group_peaks(scores), kind="stable")]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the index without its texts, for `fill`."""
        return {
            **self.bm25.to_arrays(),
            **self.documents.to_arrays(),
            **self._vectors.to_arrays(),
            **self._links.to_arrays(),
        }

    def fill(
        self,
        arrays: Mapping[str, NDArray[Any]],
        *,
        text: Callable[[int], str],
        terms: Callable[[int], IndexedText],
    ) -> None:
        """Load what `to_arrays` returned; texts and their terms are read on demand."""
        self.bm25.fill(arrays, terms)
        self.documents.fill(arrays)
        self._vectors.fill(arrays)
        self._links.fill(arrays)
        self.corpus = LazyList(text, self.documents.size)

    def _embed(self, query: str) -> tuple[Floats | None, float]:
        if self.embedder is None or not query.strip():
            return None, 0.0
        started = time.perf_counter()
        vector: Floats = self.embedder.embed([query[:MAX_EMBEDDED_CHARS]])[0].astype(np.float32)
        return vector, time.perf_counter() - started

    def _read(self, query: str, now: float | None) -> Cues:
        today = to_date(self._clock() if now is None else now) or date.today()
        return read_question(query).cues(speakers=self.documents.names, today=today)

    def _score(self, cues: Cues, vector: Floats | None) -> tuple[LexicalScores, Floats, Floats]:
        words = score_words(self.bm25, self.documents, cues.terms)
        lexical = words.scores + self._links.bonus(self.bm25, cues.terms, words.scores)
        if vector is None:
            whole = best = np.zeros(self.documents.size, np.float32)
        else:
            whole, best = self._vectors.similarities(vector)
        semantic = self._with_neighbours(whole + best)
        fused = self._fuse(lexical, semantic if vector is not None else None)
        return words, self._adjust(fused, cues), best

    def _combine_scores(self, bm25_scores: Sequence[float], semantic_scores: Sequence[float]) -> list[float]:
        """Return the fused scores: each side scaled to 0..1, then weighted by alpha."""
        words, meaning = np.asarray(bm25_scores, np.float32), np.asarray(semantic_scores, np.float32)
        return [float(value) for value in self._fuse(words, meaning)]

    def _fuse(self, words: Floats, meaning: Floats | None) -> Floats:
        active = self.bm25.alive[: len(words)] if len(self.bm25) == len(words) else np.ones(len(words), bool)
        if meaning is None:
            return _scaled(words, active, floor=0.0)
        alpha = np.float32(self._alpha())
        # With no word in common, only the embeddings count.
        if not words.any():
            alpha = np.float32(1.0)
        floor = 0.0 if active.sum() < _FEW else None
        lexical = _scaled(words, active, floor=0.0)
        return (1 - alpha) * lexical + alpha * _scaled(meaning, active, floor=floor)

    def _alpha(self) -> float:
        """Return the weight of the embeddings: less for texts too long for one vector."""
        if not self.adaptive:
            return self.alpha
        length = self.bm25.average_length
        long = min(max((length - _SHORT) / (_LONG - _SHORT), 0.0), 1.0)
        return self.alpha * (1 - (1 - _LEAST_ALPHA) * long)

    def _with_neighbours(self, values: Floats) -> Floats:
        total = values.copy()
        for offset, weight in _DENSE_CONTEXT.items():
            link = self.documents.neighbour(offset)
            total += np.where(link >= 0, np.float32(weight) * values[link], np.float32(0))
        return total

    def _adjust(self, scores: Floats, cues: Cues) -> Floats:
        """Apply the cues of the question: speaker, date, exact words, importance, recency."""
        documents = self.documents
        if len(cues.speakers) == 1:
            named = documents.speaker_number(cues.speakers[0])
            spoken = documents.column("speaker") == named
            scores = scores * np.where(spoken, np.float32(1), np.float32(_OTHER_SPEAKER))
        scores = scores + _IMPORTANCE_BONUS * (documents.importance - 0.5)
        if cues.dates:
            scores = scores + _DATE_BONUS * self._dated(cues, scores)
        if cues.exact:
            scores = scores + _EXACT_BONUS * self._exact(cues.exact, scores)
        if cues.fresh and documents.size > 1:
            scores = scores + _FRESH_BONUS * np.linspace(0, 1, documents.size, dtype=np.float32)
        if documents.num_groups < documents.size:
            peaks = _scaled(self._group_peaks(scores), np.ones(documents.num_groups, bool))
            scores = scores + _GROUP_BONUS * peaks[documents.column("group")]
        return scores.astype(np.float32)

    def _dated(self, cues: Cues, scores: Floats) -> Floats:
        spans = [self.documents.in_span(span, after_days=_SOON_DAYS) for span in cues.dates]
        found: Floats = np.max(spans, axis=0)
        for index in _best(scores, _CANDIDATES):
            # Only the best candidates are read for the dates in their text.
            if found[index] < 1 and self._mentions_date(int(index), cues.dates):
                found[index] = 1.0
        return found

    def _mentions_date(self, index: int, asked: Sequence[DateSpan]) -> bool:
        said = int(self.documents.column("day")[index])
        if said <= 0:
            return False
        if index not in self._dates_in:
            spans = find_dates(self.corpus[index][:_DATED_CHARS], today=date.fromordinal(said))
            self._dates_in[index] = tuple(span.start for span in spans if not span.yearly)
        return any(one.holds(day) for one in asked for day in self._dates_in[index])

    def _exact(self, phrases: Sequence[str], scores: Floats) -> Floats:
        found = np.zeros(len(scores), np.float32)
        for index in _best(scores, _CANDIDATES):
            held = self.corpus[index].lower()
            found[index] = sum(phrase in held for phrase in phrases) / len(phrases)
        return found

    def _group_peaks(self, scores: Floats) -> Floats:
        peaks = np.full(self.documents.num_groups, -1.0, np.float32)
        active = np.where(self.bm25.alive[: len(scores)], scores, -1.0).astype(np.float32)
        np.maximum.at(peaks, self.documents.column("group"), active)
        return peaks

    def _eligible(self, allowed: Mask | None) -> Mask:
        active = self.bm25.alive[: self.documents.size]
        return active if allowed is None else active & allowed

    def _hit(
        self, index: int, cues: Cues, words: LexicalScores, scores: Floats, similarity: Floats
    ) -> RetrievedText:
        held = set(self.bm25.text(index).terms.tolist())
        asked = zip(cues.terms, words.idf, strict=True)
        covered = sum(idf for term, idf in asked if term in held) / max(sum(words.idf), 1e-6)
        alike = None if self.embedder is None else float(similarity[index])
        evidence = MatchEvidence(covered, alike, float(scores[index]), len(cues.terms))
        return RetrievedText(index, float(scores[index]), relevance(evidence), evidence)

    def _answerable(self, cues: Cues, hits: Sequence[RetrievedText]) -> float:
        best = [hit.evidence for hit in hits[:_JUDGED]]
        if len(cues.speakers) == 1:
            number = self.documents.speaker_number(cues.speakers[0])
            return answerable_by(attribute(self.bm25, self.documents, cues.terms, number), best)
        if cues.dates and hits and self._is_dated(hits[0].index, cues.dates):
            # "What did we do last May" asks for the time itself.
            return max(answerable(best), _DATED_ANSWER)
        return answerable(best)

    def _is_dated(self, index: int, asked: Sequence[DateSpan]) -> bool:
        day = int(self.documents.column("day")[index])
        held = day > 0 and any(span.holds(date.fromordinal(day)) for span in asked)
        return held or self._mentions_date(index, asked)


def _scaled(values: Floats, active: Mask, *, floor: float | None = None) -> Floats:
    """Scale the values so that the lowest active one (or `floor`) is 0 and the highest is 1."""
    chosen = values[active]
    if not len(chosen):
        return np.zeros_like(values)
    low, high = float(chosen.min()), float(chosen.max())
    low = low if floor is None else min(low, floor)
    if high <= low:
        return np.zeros_like(values)
    return ((values - low) / (high - low)).astype(np.float32)


def _best(scores: Floats, number: int) -> NDArray[np.int64]:
    """Return the indexes of the highest scores, the highest first and the earlier one on a tie."""
    if number < len(scores):
        least = np.partition(scores, len(scores) - number)[len(scores) - number]
        places = np.flatnonzero(scores >= least)
    else:
        places = np.arange(len(scores))
    return places[np.argsort(-scores[places], kind="stable")][:number]
