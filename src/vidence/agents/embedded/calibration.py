"""How probable an answer is, set right by how often answers of its kind were.

A recipe says how strong its evidence is, on a scale written by hand. Here that is shifted, kind by kind and
in log-odds, so that on average it comes near what was measured. The measured rate is that of a Beta
posterior: what the recipes say themselves counts like `_TRUST` questions, so a kind that was asked a few
times moves little. `docs/asking.md` says which questions were asked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from vidence.agents.embedded.question.form import Kind

__all__ = ["Outcomes", "calibrated"]

_TRUST = 20.0
_LEAST, _MOST = 0.02, 0.97


@dataclass(frozen=True)
class Outcomes:
    """What came of the questions of one kind."""

    asked: int
    right: int
    said: float
    """How probable the recipe held its answers, on average."""

    @property
    def rate(self) -> float:
        """How often answers of this kind are right, as far as so few questions tell."""
        return (self.right + _TRUST * self.said) / (self.asked + _TRUST)

    @property
    def shift(self) -> float:
        """What to add to the log-odds of an answer of this kind."""
        return _log_odds(self.rate) - _log_odds(self.said)


_OUTCOMES: Mapping[Kind, Outcomes] = {
    "camera": Outcomes(2, 2, 0.9),
}


def calibrated(kind: Kind, probability: float) -> float:
    """Return how probable an answer is, given how probable its recipe held it."""
    known = _OUTCOMES.get(kind)
    inside = min(max(probability, _LEAST), _MOST)
    if known is None:
        return inside
    return min(max(1 / (1 + math.exp(-_log_odds(inside) - known.shift)), _LEAST), _MOST)


def _log_odds(probability: float) -> float:
    return math.log(probability / (1 - probability))
