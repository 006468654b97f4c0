"""How probable each proposal is: features of the question and its evidence, weighed as learnt from data.

The weights were fitted by `training/answers/fit.py`, leaving one video out at a time to measure them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from vidence.embedded.proposals import Proposal, agreement, polarity_of
from vidence.language.question import AnswerType, Question
from vidence.language.tokens import query_terms, stems, terms

__all__ = [
    "SURE",
    "UNSURE",
    "Line",
    "Situation",
    "features",
    "group_of",
    "log_odds",
    "rank",
    "source_of",
]

_GROUPS: dict[str, tuple[AnswerType, ...]] = {
    "yes_no": ("yes_no",),
    "number": ("number", "duration"),
    "time": ("time",),
    "colour": ("colour",),
    "order": ("order", "choice"),
    "words": ("name", "job", "date", "money", "text", "utterance", "language", "person"),
    "sound": ("sound",),
    "reason": ("reason",),
    "summary": ("summary",),
    "seen": ("thing", "action", "place", "weather", "material", "pattern", "mood", "direction", "camera",
             "daytime", "other"),
}  # fmt: skip
_GROUP_OF = {kind: group for group, kinds in _GROUPS.items() for kind in kinds}
_LEAST, _MOST = 0.02, 0.98
SURE = 0.6
"""What is stated at this probability or more, a reader takes for settled."""
UNSURE = 0.59
"""The most that is stated of what is not settled."""
_STEEPEST = 50.0


@dataclass(frozen=True)
class Situation:
    """What is known about a question beside its proposals."""

    question: Question
    proposals: tuple[Proposal, ...]
    is_reader_silent: bool
    """Whether the reader was asked and could not tell."""
    num_missing: int
    """How many things that the question names were looked for and not found."""
    has_speech: bool = True


def features(one: Proposal, situation: Situation) -> dict[str, float]:
    """Return what speaks for or against a proposal, by name."""
    question, source = situation.question, source_of(one)
    group = group_of(question)
    found = {
        "bias": 1.0,
        source: 1.0,
        f"{source}:{group}": 1.0,
        f"{source}:sure": log_odds(one.sure),
        f"{source}:{group}:sure": log_odds(one.sure),
        f"{source}:{question.form.kind}": 1.0,
        "zh": float(question.language == "zh"),
        "missing": float(min(situation.num_missing, 2)),
        f"{source}:missing": float(situation.num_missing > 0),
        **one.facts,
    }
    if situation.is_reader_silent:
        found[f"{source}:reader silent"] = 1.0
        found[f"{group}:reader silent"] = 1.0
    if question.expected.type == "yes_no":
        found[f"{source}:says {polarity_of(one.answer)}"] = 1.0
    others = [agreement(one, other, question) for other in situation.proposals if other is not one]
    found["agrees"] = float(max([0.0, *others]))
    found["contradicted"] = float(-min([0.0, *others]))
    found["words"] = math.log1p(len(stems(one.answer)))
    if not situation.has_speech and group == "words":
        found["words without speech"] = 1.0
    if situation.has_speech:
        found[f"{source}:speech"] = 1.0
    if source == "measured" and group == "words":
        found["measured:shared"] = _shared(one, question)
    return found


def _shared(one: Proposal, question: Question) -> float:
    """Return which share of the question's words stands in what a proposal quotes."""
    wanted = set(query_terms(question.text))
    quoted = [cited.quote or "" for claim in one.claims for cited in claim.citations]
    said = set(terms(" ".join([one.answer, *quoted])))
    return len(wanted & said) / max(1, len(wanted))


@dataclass(frozen=True)
class Line:
    """From a sum of weighted features to the probability that a source's proposal is right."""

    slope: float
    offset: float
    sure_from: float
    """The probability from which on four of five answers were right; less is not stated as `SURE`."""

    def held(self, total: float) -> float:
        """Return the probability of a sum of weighted features."""
        return 1 / (1 + math.exp(min(-(self.slope * total + self.offset), _STEEPEST)))

    def stated(self, total: float) -> float:
        """Return the probability to state for a sum of weighted features."""
        value = self.held(total)
        return min(max(value, _LEAST), _MOST if value >= self.sure_from else UNSURE)


def _total(one: Proposal, situation: Situation) -> float:
    weights, _ = _weights()
    return sum(weights.get(name, 0.0) * value for name, value in features(one, situation).items())


def _line(one: Proposal) -> Line:
    return _weights()[1][source_of(one)]


def group_of(question: Question) -> str:
    """Return the group of answer types that a question asks for."""
    return _GROUP_OF[question.expected.type]


def source_of(one: Proposal) -> str:
    """Return the source of a proposal, as features and lines name it."""
    return "nothing" if one.cannot_tell else one.source


@lru_cache(maxsize=1)
def _weights() -> tuple[dict[str, float], dict[str, Line]]:
    """Return the weights, and by source the line that makes a probability of their sum."""
    fitted = json.loads((files("vidence.embedded") / "data" / "answer_weights.json").read_text("utf-8"))
    return fitted["weights"], {source: Line(*line) for source, line in fitted["lines"].items()}


def log_odds(value: float) -> float:
    """Return the log-odds of a probability, kept from the ends."""
    inside = min(max(value, _LEAST), _MOST)
    return math.log(inside / (1 - inside))


def rank(proposals: Sequence[Proposal], situation: Situation) -> list[tuple[float, Proposal]]:
    """Return the proposals with their stated probabilities, the likeliest first."""
    totals = [(_total(one, situation), one) for one in proposals]
    ranked = sorted(totals, key=lambda pair: -_line(pair[1]).held(pair[0]))
    return [(_line(one).stated(total), one) for total, one in ranked]
