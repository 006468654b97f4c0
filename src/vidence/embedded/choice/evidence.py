"""The captions of a video, made ready to be asked: their words counted, their sentences as vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vidence.embedded.choice.text import content_words, plain_caption, statements
from vidence.embedded.choice.vectors import Embed, Floats
from vidence.schema.agent import MemoryUnit

__all__ = ["Evidence", "gather"]

_WINDOW = 15
"""Captions that are taken together as one stretch of an activity, half of them shared with the next."""


@dataclass(frozen=True)
class Evidence:
    """What was seen so far, in order of time."""

    units: tuple[MemoryUnit, ...]
    sentences: tuple[str, ...]
    unit_of: Floats
    """Of each sentence, the index of its caption."""
    vectors: Floats
    """(sentences, D)."""
    stretches: Floats
    """(stretches, D): what goes on over several captions."""
    stems: tuple[Counter[str], ...]
    """Of each caption, how often each stands in it."""
    counts: Counter[str]
    """In how many captions a stem stands."""
    vocabulary: tuple[str, ...]
    shares: Floats
    """Of each word of the vocabulary, the share of captions that have it."""
    vocabulary_vectors: Floats

    def per_unit(self, scores: Floats) -> Floats:
        """Return, of (sentences, K) scores, the best of each caption's sentences as (captions, K)."""
        best = np.full((len(self.units), scores.shape[1]), -1.0, np.float32)
        np.maximum.at(best, self.unit_of.astype(np.intp), scores)
        return best


def gather(units: Sequence[MemoryUnit], embed: Embed) -> Evidence | None:
    """Return the captions as evidence; None when none says anything."""
    told = sorted(((unit, plain_caption(unit.caption)) for unit in units), key=lambda one: _when(one[0]))
    told = [(unit, text) for unit, text in told if statements(text)]
    if not told:
        return None
    spoken = [(index, sentence) for index, (_, text) in enumerate(told) for sentence in statements(text)]
    vectors = np.asarray(embed([sentence for _, sentence in spoken]), np.float32)
    unit_of = np.array([index for index, _ in spoken], np.float32)
    words = [content_words(text) for _, text in told]
    stems = tuple(Counter(word.stem for word in held) for held in words)
    in_captions = Counter(word.surface for held in words for word in set(held))
    vocabulary = tuple(in_captions)
    return Evidence(
        units=tuple(unit for unit, _ in told),
        sentences=tuple(sentence for _, sentence in spoken),
        unit_of=unit_of,
        vectors=vectors,
        stretches=_stretches(vectors, unit_of, len(told)),
        stems=stems,
        counts=Counter(stem for held in stems for stem in held),
        vocabulary=vocabulary,
        shares=np.array([in_captions[word] / len(told) for word in vocabulary], np.float32),
        vocabulary_vectors=np.asarray(embed(vocabulary), np.float32),
    )


def _when(unit: MemoryUnit) -> tuple[float, int]:
    return (unit.timestamp_s if unit.timestamp_s is not None else float(unit.frame_id), unit.frame_id)


def _stretches(vectors: Floats, unit_of: Floats, number: int) -> Floats:
    step = max(1, _WINDOW // 2)
    rows = []
    for start in range(0, max(1, number - step), step):
        inside = (unit_of >= start) & (unit_of < start + _WINDOW)
        mean = vectors[inside].mean(axis=0)
        rows.append(mean / max(float(np.linalg.norm(mean)), 1e-9))
    return np.stack(rows).astype(np.float32)
