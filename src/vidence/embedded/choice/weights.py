"""What each kind of support counts for, chosen by cross-validation over videos of two public sets.

The weights are those of a conditional logit (ridge 10 to 30, five folds over videos), rounded; they also
carry the temperature, so the softmax of the weighted support is a probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from vidence.embedded.choice.features import Features
from vidence.embedded.choice.text import content_words
from vidence.embedded.choice.vectors import Floats

__all__ = ["Form", "form_of", "weigh"]

Form = Literal["statements", "phrases"]
_WEIGHTS: dict[Form, Features] = {
    "statements": Features(words=0.45, terms=5.0, clauses=4.2, stretches=4.2, together=2.8),
    "phrases": Features(words=0.38, terms=0.0, clauses=4.9, stretches=0.0, together=6.5),
}
_STATEMENT_WORDS = 4.0
"""Options of this many content words on average say something about the video as a whole."""


def form_of(options: Sequence[str]) -> Form:
    """Tell options that are sentences from those that are a few words."""
    words = [len(content_words(option)) for option in options]
    return "statements" if sum(words) >= _STATEMENT_WORDS * len(words) else "phrases"


def weigh(features: Sequence[Features], form: Form) -> Floats:
    """Return the probability of each option."""
    weights = _WEIGHTS[form].vector()
    logits = np.array([one.vector() @ weights for one in features])
    odds = np.exp(logits - logits.max())
    shares: Floats = (odds / odds.sum()).astype(np.float32)
    return shares
