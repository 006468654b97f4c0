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
    rows = pair_rows(pairs, embed)
    # Networks that were begun otherwise; together they are right more often than any of them.
    names = ("nli_in", "nli_in_bias", "nli_out", "nli_out_bias")
    networks = [
        softmax(np.maximum(rows @ inner + inner_bias, 0.0) @ outer + outer_bias)
        for inner, inner_bias, outer, outer_bias in zip(*(weights[name] for name in names), strict=True)
    ]
    grams = np.stack(
        [
            weights["nli_grams"][:, held].sum(axis=1) / np.sqrt(max(len(held), 1)) + weights["nli_grams_bias"]
            for held in gram_rows(pairs)
        ]
    )
    return np.asarray((np.mean(networks, axis=0) + softmax(grams.astype(np.float32))) / 2, np.float32)


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
