"""Proposals: what each source of evidence holds to be the answer, and how they agree."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from vidence.language.colours import colours_in
from vidence.language.numbers import numbers_in
from vidence.language.question import AnswerType, Expected, Question
from vidence.language.tokens import stems
from vidence.schema.evidence import Claim

__all__ = ["Polarity", "Proposal", "Source", "agreement", "fitting", "polarity_of"]

Source = Literal["measured", "reader", "look", "summary"]
"""Measured by operations, read in the notes, seen by the visual answerer, or put together from the notes."""
Polarity = Literal["yes", "no"]

_YES = re.compile(r"^\W*(?:yes|yeah)\b|^\W*(?:是|有|对|会|能|可以|在)", re.IGNORECASE)
_NO = re.compile(r"^\W*(?:no|not|none|nobody|nothing|never)\b|^\W*(?:不|没|否|无|未)", re.IGNORECASE)
_WORDS: frozenset[AnswerType] = frozenset({"name", "job", "date", "money", "text", "utterance"})
"""Types of answer that only words tell: what is said or written."""
_FIGURES: frozenset[AnswerType] = frozenset({"number", "money", "duration", "time", "date"})


@dataclass(frozen=True)
class Proposal:
    """One possible answer with its proof and what speaks for it."""

    source: Source
    answer: str
    """Short and direct, in the question's language."""
    sure: float
    """How probable its own source holds it."""
    claims: tuple[Claim, ...] = ()
    explanation: str = ""
    cannot_tell: bool = False
    """Whether it says that the video does not tell."""
    facts: dict[str, float] = field(default_factory=dict)
    """What speaks for it, by the names that the scorer knows."""


def fitting(proposals: Sequence[Proposal], expected: Expected) -> list[Proposal]:
    """Return the proposals that are of the type that is asked for, and from a source that can tell it."""
    return [
        one
        for one in proposals
        if one.cannot_tell
        or (expected.fits(one.answer) and not (one.source == "look" and expected.type in _WORDS))
    ]


def polarity_of(answer: str) -> Polarity | None:
    """Return whether an answer says yes or no; None when it says neither."""
    if _NO.search(answer):
        return "no"
    return "yes" if _YES.search(answer) else None


def agreement(one: Proposal, other: Proposal, question: Question) -> float:
    """Return from -1 to 1 whether two proposals say the same; 0 when that cannot be told."""
    if one.cannot_tell or other.cannot_tell:
        return 0.0
    kind = question.expected.type
    if kind == "yes_no":
        first, second = polarity_of(one.answer), polarity_of(other.answer)
        return 0.0 if first is None or second is None else 1.0 if first == second else -1.0
    if kind in _FIGURES:
        return _same_figures(one.answer, other.answer)
    if kind == "colour":
        return 1.0 if set(colours_in(one.answer)) & set(colours_in(other.answer)) else -1.0
    given = set(stems(question.text))
    mine, theirs = set(stems(one.answer)) - given, set(stems(other.answer)) - given
    if not mine or not theirs:
        return 0.0
    return 1.0 if mine & theirs else -0.5


def _same_figures(one: str, other: str) -> float:
    mine, theirs = ({number.value for number in numbers_in(text)} for text in (one, other))
    if not mine or not theirs:
        return 0.0
    return 1.0 if mine & theirs else -1.0
