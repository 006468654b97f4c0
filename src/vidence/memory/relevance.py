"""The probability that one memory, or any of several, answers a question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from vidence.memory.lexical import Attribution

__all__ = ["LEAST_RELEVANT", "NOTHING_RELEVANT", "MatchEvidence", "answerable", "answerable_by", "relevance"]

NOTHING_RELEVANT = 0.5
"""Below this probability that anything answers, nothing is returned."""
LEAST_RELEVANT = 0.05
"""Below this probability a single memory is not shown."""


@dataclass(frozen=True)
class MatchEvidence:
    """The features of one match."""

    covered: float
    """Share of the question's words that the memory holds, rare words counting more, 0 to 1."""
    similarity: float | None
    """Cosine of the embeddings; None without an embedder."""
    score: float
    """Fused score, 0 to about 1, relative to the other memories."""
    num_terms: int


def relevance(evidence: MatchEvidence) -> float:
    """Return the probability that the memory answers the question."""
    if evidence.similarity is None:
        return _sigmoid(_ITEM_BY_WORDS, (evidence.covered, evidence.score))
    return _sigmoid(_ITEM, (evidence.covered, evidence.similarity, evidence.score))


def answerable(best: Sequence[MatchEvidence]) -> float:
    """Return the probability that one of the memories, the best ones first, answers the question."""
    if not best:
        return 0.0
    covered = max(one.covered for one in best)
    similar = [one.similarity for one in best if one.similarity is not None]
    return _sigmoid(_ANY, (covered, max(similar))) if similar else _sigmoid(_ANY_BY_WORDS, (covered,))


def answerable_by(attribution: Attribution, best: Sequence[MatchEvidence]) -> float:
    """Return the same for a question about one person, when the answer may be about another."""
    if not best:
        return 0.0
    ahead = attribution.mine_in_context - attribution.others_in_context
    size = math.log1p(best[0].num_terms)
    return _sigmoid(_PERSON, (attribution.mine, ahead, attribution.share, size))


def _sigmoid(weights: Sequence[float], features: Sequence[float]) -> float:
    *slopes, bias = weights
    total = bias + sum(slope * value for slope, value in zip(slopes, features, strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


# Logistic regressions fitted on the shared halves (docs/memory.md says how they fare on what they did not
# see); the last weight is the bias, moved so that a half is where 3 to 5 % of good answers are lost.
_ITEM = (1.186, 1.902, 5.526, -7.67)
_ITEM_BY_WORDS = (1.358, 5.754, -7.328)
_ANY = (3.29, 7.02, -3.31)
_ANY_BY_WORDS = (3.916, -1.03)
_PERSON = (0.436, 3.331, 6.362, -0.846, -1.1)
