"""Grounding: the span whose captions fit question and answer best."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vidence.embedded.choice.captions import CaptionIndex, Embed, Floats, content_words
from vidence.embedded.choice.features import bm25
from vidence.language.question import Anchor
from vidence.language.question.anchors import find_anchors
from vidence.schema.time import TimeRange

__all__ = ["QuestionTiming", "ground", "read_timing"]

_STEPS = 240
_SMOOTH = 0.05
"""Width of the smoothing, as a share of the video."""
_SHARE, _SHARE_PLACED = 0.5, 0.2
"""Length of the span as a share of the video; shorter when the question names a part."""
_SHORTEST_S, _LONGEST_S = 5.0, 15.0
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
"""The weight of a part named in words ("at the end") against the captions."""


def ground(
    timing: QuestionTiming,
    option: str,
    evidence: CaptionIndex,
    embed: Embed,
    *,
    duration_s: float | None = None,
) -> TimeRange | None:
    """Return the span that supports the option; None when captions have no times."""
    stamps = [unit.timestamp_s for unit in evidence.units if unit.timestamp_s is not None]
    if len(stamps) < len(evidence.units):
        return None
    length_s = duration_s or _length(stamps)
    times_s = np.array(stamps, np.float32)
    grid = ((np.arange(_STEPS) + 0.5) * length_s / _STEPS).astype(np.float32)
    level = _smooth(_support(timing, option, evidence, embed), times_s, grid, length_s)
    level = level + timing.weights(grid, length_s)
    wanted_s = (_SHARE_PLACED if timing.is_placed else _SHARE) * length_s
    wanted_s = min(max(wanted_s, _SHORTEST_S), _LONGEST_S, length_s)
    return _best_window(level, wanted_s, length_s)


def _support(timing: QuestionTiming, option: str, evidence: CaptionIndex, embed: Embed) -> Floats:
    """Return each caption's similarity to the question, the option, both, and the event named."""
    asked = [timing.text, option, f"{timing.text} {option}"]
    if timing.clause:
        asked.append(timing.clause)
    likeness = evidence.per_unit(evidence.vectors @ np.asarray(embed(asked), np.float32).T)
    rows = [*likeness.T, bm25(content_words(timing.text), evidence)]
    total: Floats = np.sum([_standard(row) for row in rows], axis=0, dtype=np.float32)
    return total


def _standard(row: Floats) -> Floats:
    standard: Floats = ((row - row.mean()) / (row.std() + 1e-6)).astype(np.float32)
    return standard


def _smooth(values: Floats, times_s: Floats, grid: Floats, length_s: float) -> Floats:
    """Return the values on a grid, smoothed over time by a Gaussian."""
    gaps = np.diff(times_s)
    width_s = max(_SMOOTH * length_s, float(np.median(gaps)) / 2 if len(gaps) else length_s)
    away = (grid[:, None] - times_s[None, :]) / width_s
    kernel = np.exp(-0.5 * away * away) + 1e-9
    smooth: Floats = (kernel @ values / kernel.sum(axis=1)).astype(np.float32)
    return smooth


def _best_window(level: Floats, wanted_s: float, length_s: float) -> TimeRange:
    steps = max(1, min(len(level), round(wanted_s / length_s * len(level))))
    sums = np.concatenate([[0.0], np.cumsum(level, dtype=np.float64)])
    start = int((sums[steps:] - sums[:-steps]).argmax())
    step_s = length_s / len(level)
    return TimeRange(
        start_time=round(start * step_s, 2), end_time=round(min(length_s, (start + steps) * step_s), 2)
    )


def _length(stamps: Sequence[float]) -> float:
    """Return an estimate of the video's length from the captions' times."""
    gap = float(np.median(np.diff(stamps))) if len(stamps) > 1 else 1.0
    return max(stamps) + max(gap, 0.1)


@dataclass(frozen=True)
class QuestionTiming:
    """What a question says about time."""

    text: str
    """The question without its words for parts of the video."""
    anchors: tuple[Anchor, ...]
    middle: bool

    @property
    def clause(self) -> str | None:
        """The event that the question refers to, in words."""
        return next((anchor.clause for anchor in self.anchors if anchor.clause), None)

    @property
    def is_placed(self) -> bool:
        """Whether the question names a part of the video."""
        return self.middle or any(
            anchor.relation in ("start", "end") or anchor.start_s is not None for anchor in self.anchors
        )

    def weights(self, times_s: Floats, duration_s: float) -> Floats:
        """Return a penalty (0 or below) for every time, by its distance from the part named."""
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


def read_timing(question: str) -> QuestionTiming:
    """Return what a question says about time."""
    plain = " ".join(_EDGE_WORDS.sub(" ", _MIDDLE.sub(" ", question)).split())
    return QuestionTiming(plain or question, find_anchors(question), bool(_MIDDLE.search(question)))
