"""Score options against captions, and by what a language model holds likely."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

from vidence.embedded.choice.captions import CaptionIndex, Embed, Floats, clauses, content_words, gather
from vidence.embedded.choice.features import Features, measure
from vidence.embedded.choice.ground import ground, read_timing
from vidence.schema.agent import MemoryUnit
from vidence.schema.time import TimeRange

__all__ = ["ChoiceScores", "Witness", "form_of", "is_read", "score_options", "standard"]

_WITNESSES = 2
_STATEMENT_WORDS = 4.0
"""Options with at least this many content words on average are statements."""


@dataclass(frozen=True)
class Witness:
    """A caption that supports the chosen option, and its supporting sentence."""

    unit: MemoryUnit
    sentence: str


@dataclass(frozen=True)
class ChoiceScores:
    """The probability of each option, and the support for the best."""

    shares: tuple[float, ...]
    best: int
    span: TimeRange | None = None
    """The span of the video that shows the best option."""
    witnesses: tuple[Witness, ...] = ()


def score_options(
    question: str,
    options: Sequence[str],
    units: Sequence[MemoryUnit],
    embed: Embed,
    *,
    duration_s: float | None = None,
    choice: Sequence[float] = (),
) -> ChoiceScores:
    """Score the options by the captions; all are equal when the captions are empty.

    Args:
        duration_s: length of the video, where it is known.
        choice: the reader's probability of each option, where it was asked.
    """
    evidence = gather(units, embed)
    if evidence is None:
        return ChoiceScores((1 / len(options),) * len(options), 0)
    shares = _weigh(measure(question, options, evidence, embed), choice, options)
    best = int(shares.argmax())
    where = ground(read_timing(question), options[best], evidence, embed, duration_s=duration_s)
    seen = _witnesses(question, options[best], evidence, where, embed)
    return ChoiceScores(tuple(map(float, shares)), best, where, seen)


def _inside(unit: MemoryUnit, span: TimeRange) -> bool:
    return unit.timestamp_s is not None and span.start_time <= unit.timestamp_s < span.end_time


def _witnesses(
    question: str, option: str, evidence: CaptionIndex, where: TimeRange | None, embed: Embed
) -> tuple[Witness, ...]:
    """Return the sentences that support an option best, those inside the span first."""
    asked = np.asarray(embed([f"{question} {option}", *clauses(option)]), np.float32)
    scores = (evidence.vectors @ asked.T).max(axis=1)
    units = [evidence.units[int(index)] for index in evidence.unit_of]
    inside = np.array([where is None or _inside(unit, where) for unit in units])
    order = sorted(range(len(units)), key=lambda index: (not inside[index], -float(scores[index])))
    chosen: dict[int, Witness] = {}
    for index in order:
        chosen.setdefault(units[index].frame_id, Witness(units[index], evidence.sentences[index]))
        if len(chosen) == _WITNESSES:
            break
    return tuple(chosen.values())


def form_of(options: Sequence[str]) -> str:
    """Return whether options are `statements` or short `phrases`."""
    words = [len(content_words(option)) for option in options]
    return "statements" if sum(words) >= _STATEMENT_WORDS * len(words) else "phrases"


@lru_cache(maxsize=1)
def _fitted() -> dict[str, Any]:
    """Return the weights of each form: a conditional logit (`training/choice`) with its temperature."""
    data = (files("vidence.embedded") / "data" / "choice_weights.json").read_text("utf-8")
    fitted: dict[str, Any] = json.loads(data)
    return fitted


def is_read(options: Sequence[str]) -> bool:
    """Tell whether a reader's view of such options is worth anything."""
    return _fitted()[form_of(options)]["with_reader"] is not None


def _weigh(features: Sequence[Features], choice: Sequence[float], options: Sequence[str]) -> Floats:
    """Return the probability of each option; a choice that prefers none counts as none."""
    fitted = _fitted()[form_of(options)]
    told = standard(np.array([one.vector() for one in features]), Features(**_fitted()["spread"]).vector())
    logits = told @ Features(**fitted["captions"]).vector()
    if len(set(choice)) > 1 and fitted["with_reader"] is not None:
        captions, reader = fitted["with_reader"]
        logits = captions * logits + reader * np.log(np.maximum(choice, 1e-6)).astype(np.float32)
    odds = np.exp(logits - logits.max())
    shares: Floats = (odds / odds.sum()).astype(np.float32)
    return shares


def standard(features: Floats, spread: Floats) -> Floats:
    """Return (options, features) relative to how the options of this question and of usual ones differ."""
    usual = features.std(axis=-2, keepdims=True) + spread
    relative: Floats = (features - features.mean(axis=-2, keepdims=True)) / usual
    return relative
