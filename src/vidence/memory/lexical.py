"""Scoring every text against the words of a question, its neighbours' words counting too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vidence.language.tokens import ABOUT_HEARER, ABOUT_SPEAKER
from vidence.memory.documents import DocumentTable
from vidence.memory.inverted import InvertedIndex

__all__ = ["CONTEXT", "Attribution", "LexicalScores", "attribute", "score_words"]

CONTEXT = {-1: 0.5, -2: 0.3, 1: 0.4, 2: 0.2}
"""How much of a neighbour's word counts here, by how far it is."""

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
    """How well the words of a question are said of the person it asks about, beside of anyone else."""

    mine: float
    others: float
    mine_in_context: float
    others_in_context: float
    share: float
    """Mean part of the mentions that are of that person, the telling words counting more."""


class _Spreader:
    """Adds a term's scores to texts and, weakened, to their neighbours; the best of them counts."""

    def __init__(self, documents: DocumentTable) -> None:
        self._links = {offset: documents.neighbour(offset) for offset in CONTEXT}
        self._row = np.zeros(documents.size, np.float32)

    def add(self, total: Floats, documents: Ints, values: Floats) -> None:
        row = self._row
        row[documents] = values
        touched = [documents]
        for offset, weight in CONTEXT.items():
            target = self._links[offset][documents]
            there = target >= 0
            target = target[there]
            row[target] = np.maximum(row[target], np.float32(weight) * values[there])
            touched.append(target)
        every = np.concatenate(touched)
        # A document named twice is written twice with the same sum, so it is still added once.
        total[every] = total[every] + row[every]
        row[every] = 0


def score_words(index: InvertedIndex, documents: DocumentTable, terms: Sequence[int]) -> LexicalScores:
    """Return the BM25 score of every text for these terms."""
    total = np.zeros(documents.size, np.float32)
    spreader = _Spreader(documents)
    idf: list[float] = []
    for term in terms:
        matches = index.matches(term)
        idf.append(matches.idf)
        if len(matches.documents):
            spreader.add(total, matches.documents, matches.scores)
    return LexicalScores(total, tuple(idf))


def attribute(
    index: InvertedIndex, documents: DocumentTable, terms: Sequence[int], speaker: int
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
    for term in terms:
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


def _peak(values: Floats) -> float:
    return float(values.max(initial=0.0))
