"""Score options against captions, and by what a language model holds likely."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np

from vidence.embedded.choice.captions import CaptionIndex, Embed, Floats, clauses, content_words, gather
from vidence.embedded.choice.features import Features, measure
from vidence.embedded.choice.ground import ground, read_timing
from vidence.schema.agent import MemoryUnit
from vidence.schema.time import TimeRange

__all__ = ["ChoiceScores", "OptionScore", "Witness", "form_of", "score_options"]

_WITNESSES = 2
_STATEMENT_WORDS = 4.0
"""Options with at least this many content words on average are statements."""


@dataclass(frozen=True)
class OptionScore:
    """One option with its probability and features."""

    text: str
    probability: float
    features: Features | None = None


@dataclass(frozen=True)
class Witness:
    """A caption that supports the chosen option, and its supporting sentence."""

    unit: MemoryUnit
    sentence: str


@dataclass(frozen=True)
class ChoiceScores:
    """The options with their probabilities, and the support for the best."""

    options: tuple[OptionScore, ...]
    best: int
    span: TimeRange | None = None
    """The span of the video that shows the best option."""
    witnesses: tuple[Witness, ...] = ()

    @property
    def probability(self) -> float:
        """The probability of the best option."""
        return self.options[self.best].probability


def score_options(
    question: str,
    options: Sequence[str],
    units: Sequence[MemoryUnit],
    embed: Embed,
    *,
    span: TimeRange | None = None,
    duration_s: float | None = None,
    choice: Sequence[float] = (),
) -> ChoiceScores:
    """Score the options by the captions; all are equal when the captions are empty.

    Args:
        span: only captions inside it count, where given.
        duration_s: length of the video, where it is known.
        choice: the reader's probability of each option, where it was asked.
    """
    evidence = gather([unit for unit in units if span is None or _inside(unit, span)], embed)
    if evidence is None:
        return ChoiceScores(tuple(OptionScore(option, 1 / len(options)) for option in options), 0)
    features = measure(question, options, evidence, embed)
    shares = _weigh(features, choice, options)
    best = int(shares.argmax())
    scored = tuple(
        OptionScore(option, float(share), own)
        for option, share, own in zip(options, shares, features, strict=True)
    )
    where = ground(read_timing(question), options[best], evidence, embed, duration_s=duration_s)
    return ChoiceScores(scored, best, where, _witnesses(question, options[best], evidence, where, embed))


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
def _fitted() -> dict[str, dict[str, float]]:
    """Return the weights of each form: a conditional logit (`training/choice`) with its temperature."""
    data = (files("vidence.embedded") / "data" / "choice_weights.json").read_text("utf-8")
    weights: dict[str, dict[str, float]] = json.loads(data)
    return weights


def _weigh(features: Sequence[Features], choice: Sequence[float], options: Sequence[str]) -> Floats:
    """Return the probability of each option."""
    weights = dict(_fitted()[form_of(options)])
    reader = weights.pop("reader")
    logits = np.array([one.vector() for one in features]) @ Features(**weights).vector()
    if choice:
        logits = logits + reader * np.log(np.maximum(choice, 1e-6)).astype(np.float32)
    odds = np.exp(logits - logits.max())
    shares: Floats = (odds / odds.sum()).astype(np.float32)
    return shares
