"""How probable an answer is, set right by how often answers of its kind were.

A recipe says how strong its evidence is, on a scale written by hand. Here that is shifted, kind by kind and
in log-odds, so that on average it comes near what was measured. The measured rate is that of a Beta
posterior: what the recipes say themselves counts like `_TRUST` questions, so a kind that was asked a few
times moves little. On questions that were new to the recipes, weak answers were right as often as they said
and strong ones more often, so the weak are left alone, and none that its recipe was unsure of becomes sure.
`docs/asking.md` says which questions were asked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from vidence.language.question.form import Kind

__all__ = ["Outcomes", "calibrated"]

_TRUST = 20.0
_LEAST, _MOST = 0.02, 0.97
_WEAK, _STRONG = 0.35, 0.65
"""Below the one nothing is shifted, from the other on all is; there the Checker begins to pass."""
_UNSURE = 0.64


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
    "camera": Outcomes(2, 2, 0.90),
    "colour": Outcomes(13, 12, 0.68),
    "compare": Outcomes(2, 1, 0.64),
    "count": Outcomes(20, 16, 0.61),
    "cuts": Outcomes(9, 7, 0.77),
    "describe": Outcomes(5, 4, 0.70),
    "doing": Outcomes(4, 4, 0.43),
    "heard": Outcomes(7, 6, 0.83),
    "order": Outcomes(7, 7, 0.66),
    "read": Outcomes(12, 10, 0.66),
    "said": Outcomes(12, 12, 0.82),
    "what": Outcomes(21, 14, 0.60),
    "when": Outcomes(21, 18, 0.59),
    "where": Outcomes(1, 0, 0.36),
    "which": Outcomes(4, 4, 0.69),
    "who": Outcomes(1, 0, 0.45),
    "why": Outcomes(1, 1, 0.50),
    "yes_no": Outcomes(27, 18, 0.61),
}


def calibrated(kind: Kind, probability: float) -> float:
    """Return how probable an answer is, given how probable its recipe held it."""
    known = _OUTCOMES.get(kind)
    inside = min(max(probability, _LEAST), _MOST)
    if known is None:
        return inside
    weight = min(max((inside - _WEAK) / (_STRONG - _WEAK), 0.0), 1.0)
    shifted = 1 / (1 + math.exp(-_log_odds(inside) - weight * known.shift))
    return min(max(shifted, _LEAST), _MOST if inside >= _STRONG else _UNSURE)


def _log_odds(probability: float) -> float:
    return math.log(probability / (1 - probability))
