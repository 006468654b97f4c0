"""Whether sentences support a statement: a small model of shared words, clauses, figures and meaning."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from vidence.intel.critic.features import support_features
from vidence.intel.critic.weights import load_weights
from vidence.intel.digest import Embed
from vidence.language.numbers import numbers_in

__all__ = ["support", "support_probability"]

_NAME = re.compile(r"(?<=[\w,;:’'] )[A-Z][\w’'-]+")
"""A capital inside a sentence."""


def support(statement: str, evidence: Sequence[str], embed: Embed) -> float:
    """Return the probability that sentences support a statement; 0 where a figure or name is not in them."""
    if any(statement in one for one in evidence):
        return 1.0
    held = " ".join(evidence)
    known = {number.value for number in numbers_in(held)}
    if any(one.value not in known for one in numbers_in(statement) if not one.is_vague):
        return 0.0
    if any(name.lower() not in held.lower() for name in _NAME.findall(statement)):
        return 0.0
    return support_probability(statement, evidence, embed)


def support_probability(statement: str, evidence: Sequence[str], embed: Embed) -> float:
    """Return what the model says alone."""
    if not evidence:
        return 0.0
    vectors = np.asarray(embed([statement, *evidence]), np.float32)
    values = np.array(support_features(statement, evidence, vectors[0], vectors[1:]), np.float32)
    weights = load_weights()
    score = float((values - weights["support_mean"]) @ weights["support"] + weights["support_bias"][0])
    return float(1 / (1 + np.exp(-score)))
