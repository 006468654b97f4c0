"""When a question is about, as a weight on every second of the video."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from vidence.embedded.choice.vectors import Floats
from vidence.language.question.form import Anchor
from vidence.language.question.times import find_anchors

__all__ = ["Timing", "read_timing"]

_MIDDLE = re.compile(
    r"\b(?:in|near|around|at|towards?) the (?:very )?middle\b(?: of the (?:video|clip|film))?"
    r"|\bmidway\b|\bhalfway\b|中间|中段|中途|中部",
    re.IGNORECASE,
)
_EDGE_WORDS = re.compile(
    r"\b(?:at|in|near|towards?|from|by) the (?:very )?(?:start|beginning|end|ending)"
    r"(?: of the (?:video|clip|film))?\b|\bin the (?:video|clip|film)\b",
    re.IGNORECASE,
)
_PULL = 12.0
"""How much a place named in words ("at the end") counts against what the captions say."""


@dataclass(frozen=True)
class Timing:
    """What a question says about time."""

    text: str
    """The question without its words for places in the video."""
    anchors: tuple[Anchor, ...]
    middle: bool

    @property
    def clause(self) -> str | None:
        """The event the question hangs on, in words."""
        return next((anchor.clause for anchor in self.anchors if anchor.clause), None)

    @property
    def is_placed(self) -> bool:
        """Whether words say where in the video it is."""
        return self.middle or any(
            anchor.relation in ("start", "end") or anchor.start_s is not None for anchor in self.anchors
        )

    def weights(self, times_s: Floats, duration_s: float) -> Floats:
        """Return a penalty (0 or below) for every time: the further from the place named, the more."""
        place = times_s / max(duration_s, 1e-6)
        total = np.zeros_like(place)
        if self.middle:
            total -= _PULL * 2 * np.abs(place - 0.5)
        for anchor in self.anchors:
            if anchor.start_s is not None:
                end_s = anchor.end_s if anchor.end_s is not None else anchor.start_s
                away = np.maximum(0.0, np.maximum(anchor.start_s - times_s, times_s - end_s))
                total -= _PULL * away / max(duration_s, 1e-6)
            elif anchor.relation == "start":
                total -= _PULL * place
            elif anchor.relation == "end":
                total -= _PULL * (1 - place)
        weights: Floats = total.astype(np.float32)
        return weights


def read_timing(question: str) -> Timing:
    """Return what a question says about time."""
    plain = " ".join(_EDGE_WORDS.sub(" ", _MIDDLE.sub(" ", question)).split())
    return Timing(plain or question, find_anchors(question), bool(_MIDDLE.search(question)))
