"""Scoring options against captions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vidence.embedded.choice.evidence import Evidence, gather
from vidence.embedded.choice.features import Features, measure
from vidence.embedded.choice.ground import ground
from vidence.embedded.choice.text import clauses
from vidence.embedded.choice.timing import read_timing
from vidence.embedded.choice.vectors import Embed
from vidence.embedded.choice.weights import form_of, weigh
from vidence.schema.agent import MemoryUnit
from vidence.schema.time import TimeRange

__all__ = ["ChoiceScores", "OptionScore", "Witness", "score_options"]

_WITNESSES = 2


@dataclass(frozen=True)
class OptionScore:
    """One option, how probable it is, and what speaks for it."""

    text: str
    probability: float
    features: Features | None = None


@dataclass(frozen=True)
class Witness:
    """A caption that speaks for the chosen option, and the very sentence."""

    unit: MemoryUnit
    sentence: str


@dataclass(frozen=True)
class ChoiceScores:
    """The options weighed."""

    options: tuple[OptionScore, ...]
    best: int
    span: TimeRange | None = None
    """Where the video shows the best one."""
    witnesses: tuple[Witness, ...] = ()

    @property
    def probability(self) -> float:
        """How probable it is that the best option is right."""
        return self.options[self.best].probability


def score_options(
    question: str,
    options: Sequence[str],
    units: Sequence[MemoryUnit],
    embed: Embed,
    *,
    span: TimeRange | None = None,
    duration_s: float | None = None,
) -> ChoiceScores:
    """Weigh the options by what the captions say; all are equal where the captions say nothing.

    Args:
        span: only captions inside it count, where given.
        duration_s: length of the video, where it is known.
    """
    evidence = gather([unit for unit in units if span is None or _inside(unit, span)], embed)
    if evidence is None:
        return ChoiceScores(tuple(OptionScore(option, 1 / len(options)) for option in options), 0)
    features = measure(question, options, evidence, embed)
    shares = weigh(features, form_of(options))
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
    question: str, option: str, evidence: Evidence, where: TimeRange | None, embed: Embed
) -> tuple[Witness, ...]:
    """Return the sentences that speak most for an option, those inside the span before others."""
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
