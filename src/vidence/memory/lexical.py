"""Scores of every text by the words of a question: BM25 with its neighbours' words, and linked subjects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vidence.language.tokens import ABOUT_HEARER, ABOUT_SPEAKER, term_id, terms
from vidence.memory.bm25 import InvertedIndex
from vidence.memory.documents import DocumentTable

__all__ = ["Attribution", "LexicalScores", "SubjectLinks", "attribute", "score_words"]

_CONTEXT = {-1: 0.5, -2: 0.3, 1: 0.4, 2: 0.2}
"""How much of a neighbour's word counts here, by distance."""
_SOURCES = 5
"""This many of the best texts are followed to the subjects they mention."""

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]


@dataclass(frozen=True)
class LexicalScores:
    """BM25 of every text, with context."""

    scores: Floats
    idf: tuple[float, ...]
    """Of each term asked for, in order."""


@dataclass(frozen=True)
class Attribution:
    """How much of a question is said about the person it names, compared with everyone else."""

    mine: float
    others: float
    mine_in_context: float
    others_in_context: float
    share: float
    """Mean share of the mentions that are about that person, rare words counting more."""


class _Spreader:
    """Adds a term's scores to texts and, weakened, to their neighbours; a text gets the best of them."""

    def __init__(self, documents: DocumentTable) -> None:
        self._links = {offset: documents.neighbour(offset) for offset in _CONTEXT}
        self._row = np.zeros(documents.size, np.float32)

    def add(self, total: Floats, documents: Ints, values: Floats) -> None:
        row = self._row
        row[documents] = values
        touched = [documents]
        for offset, weight in _CONTEXT.items():
            target = self._links[offset][documents]
            there = target >= 0
            target = target[there]
            row[target] = np.maximum(row[target], np.float32(weight) * values[there])
            touched.append(target)
        every = np.concatenate(touched)
        # A document named twice is written twice with the same sum, so it is still added once.
        total[every] = total[every] + row[every]
        row[every] = 0


def score_words(index: InvertedIndex, documents: DocumentTable, asked: Sequence[int]) -> LexicalScores:
    """Return the BM25 score of every text for these terms."""
    total = np.zeros(documents.size, np.float32)
    spreader = _Spreader(documents)
    idf: list[float] = []
    for term in asked:
        matches = index.matches(term)
        idf.append(matches.idf)
        if len(matches.documents):
            spreader.add(total, matches.documents, matches.scores)
    return LexicalScores(total, tuple(idf))


def attribute(
    index: InvertedIndex, documents: DocumentTable, asked: Sequence[int], speaker: int
) -> Attribution:
    """Compare what is said of one person with what is said of the others, in the words of a question.

    "I" is about who speaks and "you" about who listens, so a person's matters are found in their own first
    person and in the others' second.
    """
    own = {side: np.zeros(documents.size, np.float32) for side in ("mine", "others")}
    wide = {side: np.zeros(documents.size, np.float32) for side in ("mine", "others")}
    spreader = _Spreader(documents)
    speakers = documents.column("speaker")
    shares: list[float] = []
    weights: list[float] = []
    for term in asked:
        matches = index.matches(term)
        spoken = speakers[matches.documents] == speaker
        mine = np.where(spoken, matches.about & ABOUT_SPEAKER, matches.about & ABOUT_HEARER) > 0
        others = np.where(spoken, matches.about & ABOUT_HEARER, matches.about & ABOUT_SPEAKER) > 0
        for side, mask in (("mine", mine), ("others", others)):
            chosen = matches.documents[mask]
            own[side][chosen] += np.float32(matches.idf)
            spreader.add(wide[side], chosen, np.full(len(chosen), matches.idf, np.float32))
        number = int(mine.sum())
        shares.append((number + 0.5) / (number + int(others.sum()) + 1.0))
        weights.append(matches.idf)
    total = max(sum(weights), 1e-6)
    return Attribution(
        mine=_peak(own["mine"]) / total,
        others=_peak(own["others"]) / total,
        mine_in_context=_peak(wide["mine"]) / total,
        others_in_context=_peak(wide["others"]) / total,
        share=sum(s * w for s, w in zip(shares, weights, strict=True)) / total,
    )


class SubjectLinks:
    """Leads from a text that mentions a name to the texts whose subject is that name."""

    def __init__(self) -> None:
        self._subjects: dict[int, tuple[int, ...]] = {}
        self._by_term: dict[int, list[int]] = {}

    def add(self, document: int, subject: str | None) -> None:
        """Note what a document is about."""
        words = list(dict.fromkeys(terms(subject or "")))
        if not words:
            return
        self._subjects[document] = tuple(term_id(word) for word in words)
        # The longest word is nearly always the rarest, and any one will do.
        self._by_term.setdefault(term_id(max(words, key=len)), []).append(document)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the links as arrays, for `fill`."""
        subjects = self._subjects
        leads = [(term, document) for term, documents in self._by_term.items() for document in documents]
        return {
            "subject_documents": np.fromiter(subjects, np.int64, len(subjects)),
            "subject_sizes": np.array([len(held) for held in subjects.values()], np.int64),
            "subject_terms": np.array([term for held in subjects.values() for term in held], np.int64),
            "subject_leads": np.array(leads, np.int64).reshape(-1, 2),
        }

    def fill(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Load what `to_arrays` returned."""
        terms_of = iter(arrays["subject_terms"].tolist())
        for document, size in zip(
            arrays["subject_documents"].tolist(), arrays["subject_sizes"].tolist(), strict=True
        ):
            self._subjects[document] = tuple(islice(terms_of, size))
        for term, document in arrays["subject_leads"].tolist():
            self._by_term.setdefault(term, []).append(document)

    def bonus(self, index: InvertedIndex, asked: Sequence[int], scores: Floats) -> Floats:
        """Return what each text gains because the best texts mention its subject."""
        gained = np.zeros_like(scores)
        if not self._subjects or not len(scores) or scores.max() <= 0:
            return gained
        known = set(asked)
        top = float(scores.max())
        for source in np.argsort(-scores, kind="stable")[:_SOURCES]:
            strength = float(scores[source]) / top
            mentioned = set(index.text(int(source)).terms.tolist())
            for document in self._about(mentioned):
                subject = self._subjects[document]
                new = [term for term in subject if term not in known]
                if document != source and new and mentioned.issuperset(subject):
                    worth = strength * sum(index.idf(term) for term in new)
                    gained[document] = max(float(gained[document]), worth)
        return gained

    def _about(self, mentioned: set[int]) -> list[int]:
        return [document for term in mentioned for document in self._by_term.get(term, ())]


def _peak(values: Floats) -> float:
    return float(values.max(initial=0.0))
