"""Whether a sentence follows from another, contradicts it, or neither: a small network and hashed grams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vidence.intel.critic.features import char_grams, hashed, new_characters, pair_features
from vidence.intel.critic.weights import load_weights, softmax
from vidence.intel.digest import Embed

__all__ = ["LABELS", "Relation", "gram_rows", "pair_rows", "relations"]

Relation = Literal["entailment", "neutral", "contradiction"]
LABELS: tuple[Relation, ...] = ("entailment", "neutral", "contradiction")
GRAM_BUCKETS = 1 << 15
Floats = NDArray[np.float32]


def relations(pairs: Sequence[tuple[str, str]], embed: Embed) -> Floats:
    """Return for each premise and claim the probabilities of the three relations, in the order of LABELS."""
    if not pairs:
        return np.zeros((0, len(LABELS)), np.float32)
    weights = load_weights()
    hidden = np.maximum(pair_rows(pairs, embed) @ weights["nli_in"] + weights["nli_in_bias"], 0.0)
    network = softmax(hidden @ weights["nli_out"] + weights["nli_out_bias"])
    grams = np.stack(
        [
            weights["nli_grams"][:, rows].sum(axis=1) / np.sqrt(max(len(rows), 1)) + weights["nli_grams_bias"]
            for rows in gram_rows(pairs)
        ]
    )
    return (network + softmax(grams.astype(np.float32))) / 2


def pair_rows(pairs: Sequence[tuple[str, str]], embed: Embed) -> Floats:
    """Return the network's input: both embeddings, how they differ and agree, and what words tell."""
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    vectors = dict(zip(texts, np.asarray(embed(texts), np.float32), strict=True))
    one = np.stack([vectors[premise] for premise, _ in pairs])
    other = np.stack([vectors[claim] for _, claim in pairs])
    words = np.array([pair_features(premise, claim) for premise, claim in pairs], np.float32)
    likeness = (one * other).sum(axis=1, keepdims=True)
    return np.hstack([one, other, np.abs(one - other), one * other * 5, likeness, words])


def gram_rows(pairs: Sequence[tuple[str, str]]) -> list[NDArray[np.int64]]:
    """Return the buckets of each claim's grams, and, in the second half, of its new characters."""
    return [
        np.concatenate(
            [
                hashed(char_grams(claim), GRAM_BUCKETS),
                GRAM_BUCKETS + hashed(char_grams(new_characters(premise, claim)), GRAM_BUCKETS),
            ]
        )
        for premise, claim in pairs
    ]
