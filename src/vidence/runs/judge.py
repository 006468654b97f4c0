"""Judging one answer: its claims are looked up, the Checker scores it, and what is unproven is capped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vidence.language.phrases import phrase
from vidence.runs.verify import Verifier
from vidence.schema.agent import PASS_SCORE, AnswerLanguage, AnswerPayload, CheckerResponse
from vidence.schema.evidence import CheckedClaim

__all__ = ["UNPROVEN_SCORE", "Candidate", "best_of", "probability_of", "settle"]

UNPROVEN_SCORE = 3
"""The most an answer scores that nothing proves."""
_UNCHECKED_SCORE = 2
"""What an answer counts for that no Checker judged."""

# How often answers with each score are right, the embedded Solver's own estimate not being known.
_PROBABILITY = {1: 0.1, 2: 0.25, 3: 0.45, 4: 0.7, 5: 0.85}


@dataclass(frozen=True)
class Candidate:
    """An answer that was given, and how it was judged."""

    step: int
    payload: AnswerPayload
    option: int | None
    claims: tuple[CheckedClaim, ...]
    missing: tuple[str, ...]
    """What the answer says that its evidence does not."""
    verdict: CheckerResponse | None = None
    """After capping; None when nobody judged it."""

    @property
    def is_proven(self) -> bool:
        """Whether any citation holds; that it cannot be told needs none."""
        return self.payload.cannot_tell or any(claim.citations for claim in self.claims)

    @property
    def is_whole(self) -> bool:
        """Whether the evidence holds all that the answer itself says; an option's words are the asker's."""
        return self.is_proven and (not self.missing or self.option is not None or self.payload.cannot_tell)

    @property
    def score(self) -> int:
        return _UNCHECKED_SCORE if self.verdict is None else self.verdict.confidence_score

    @property
    def passes(self) -> bool:
        return self.verdict is not None and self.score >= PASS_SCORE


def settle(verdict: CheckerResponse, candidate: Candidate, language: AnswerLanguage) -> CheckerResponse:
    """Return the verdict that counts: the Checker's, capped where the evidence does not carry the answer."""
    if candidate.is_whole or verdict.confidence_score <= UNPROVEN_SCORE:
        return verdict
    lacking = ", ".join(candidate.missing) or phrase("unproven", language).rstrip(".。")
    return CheckerResponse(confidence_score=UNPROVEN_SCORE, feedback=phrase("cite", language, lacking))


def verify(
    payload: AnswerPayload,
    claims: Sequence[CheckedClaim],
    verifier: Verifier,
    *,
    step: int,
    option: int | None,
) -> Candidate:
    """Return the answer as a candidate with what its evidence lacks."""
    missing = (
        () if option is not None or payload.cannot_tell else verifier.missing(payload.final_answer, claims)
    )
    return Candidate(step, payload, option, tuple(claims), tuple(missing))


def best_of(candidates: Sequence[Candidate]) -> Candidate | None:
    """Return the best grounded answer: by score, then by proof, then the latest."""
    return max(candidates, key=lambda one: (one.is_proven, one.score, one.is_whole, one.step), default=None)


def probability_of(candidate: Candidate) -> float:
    """Return how probable it is that the answer is right."""
    own = candidate.payload.probability
    if own is None:
        return _PROBABILITY[candidate.score]
    return own if candidate.is_whole else min(own, _PROBABILITY[UNPROVEN_SCORE])
