"""Features of how well the captions support each option; higher is better for each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache

import numpy as np

from vidence.embedded.choice.captions import CaptionIndex, ContentWord, Embed, Floats, clauses, content_words
from vidence.language.tables import read_table
from vidence.memory.bm25 import inverse_frequency, term_scores

__all__ = ["Features", "bm25", "measure"]

_TOP = 5
_NEAR = 0.05
"""How fast the weight of a similar word falls with its distance."""
_EVERYDAY_SHARE = 0.5
_K1, _B = 1.2, 0.75


@dataclass(frozen=True)
class Features:
    """One option's support."""

    words: float
    """Mean log share of captions that hold the option's distinctive words or similar ones."""
    terms: float
    """BM25 of its clauses, averaged over all captions."""
    clauses: float
    """Similarity of the best sentences to each clause, less that of everyday sentences."""
    stretches: float
    """Similarity of the best window of captions to each clause."""
    together: float
    """Similarity of the best sentences to question and option together."""

    def vector(self) -> Floats:
        return np.array(astuple(self), np.float32)


def measure(question: str, options: Sequence[str], evidence: CaptionIndex, embed: Embed) -> list[Features]:
    """Return the support of every option."""
    everyday = np.asarray(embed(_everyday_captions()), np.float32)
    spoken = [content_words(option) for option in options]
    in_options = Counter(stem for words in spoken for stem in {word.stem for word in words})
    joint = np.asarray(embed([f"{question} {option}".strip() for option in options]), np.float32)
    together = _best(joint @ evidence.vectors.T)
    found = []
    for index, option in enumerate(options):
        parts = clauses(option)
        vectors = np.asarray(embed(parts), np.float32)
        near = _best(vectors @ evidence.vectors.T) - _EVERYDAY_SHARE * _best(vectors @ everyday.T)
        telling = [word for word in dict.fromkeys(spoken[index]) if in_options[word.stem] < len(options)]
        found.append(
            Features(
                words=_word_support(telling, in_options, len(options), evidence, embed),
                terms=float(np.mean([_mean_bm25(content_words(part), evidence) for part in parts])),
                clauses=float(near.mean()),
                stretches=float((vectors @ evidence.stretches.T).max(axis=1).mean()),
                together=float(together[index]),
            )
        )
    return found


@lru_cache(maxsize=1)
def _everyday_captions() -> tuple[str, ...]:
    """Return captions that would fit many videos."""
    return tuple(row[0] for row in read_table("everyday_captions.tsv", "embedded"))


def _best(scores: Floats) -> Floats:
    """Return the mean of the best few of each row."""
    top = min(_TOP, scores.shape[1])
    best: Floats = np.partition(scores, -top, axis=1)[:, -top:].mean(axis=1)
    return best


def _word_support(
    telling: Sequence[ContentWord],
    in_options: Counter[str],
    number: int,
    evidence: CaptionIndex,
    embed: Embed,
) -> float:
    """Return the mean log share of captions with each word; similar words count by similarity."""
    captions = len(evidence.units)
    if not telling:
        return math.log(0.5 / captions)
    likeness = (
        np.asarray(embed([word.surface for word in telling]), np.float32) @ evidence.vocabulary_vectors.T
    )
    near = np.exp((likeness - 1.0) / _NEAR) @ evidence.shares
    exact = np.array([evidence.counts[word.stem] / captions for word in telling])
    share = np.log(np.maximum(near, exact) + 0.5 / captions)
    weights = np.array([math.log(1 + number / in_options[word.stem]) for word in telling])
    return float((share * weights).sum() / weights.sum())


def _mean_bm25(words: Sequence[ContentWord], evidence: CaptionIndex) -> float:
    """Return the mean BM25 of the captions for a clause, normalised by its length."""
    return float(bm25(words, evidence).mean()) / math.sqrt(1 + len(words))


def bm25(words: Sequence[ContentWord], evidence: CaptionIndex) -> Floats:
    """Return the BM25 score of every caption for these words."""
    captions = len(evidence.units)
    lengths = np.array([held.total() for held in evidence.stems], np.float64)
    average = max(float(lengths.mean()), 1e-9)
    total = np.zeros(captions)
    for stem in {word.stem for word in words}:
        if held := evidence.counts[stem]:
            counts = np.array([caption[stem] for caption in evidence.stems], np.float64)
            idf = inverse_frequency(captions, held)
            total += term_scores(counts, lengths, average, idf=idf, k1=_K1, b=_B)
    return total.astype(np.float32)
