"""An answer on trial: its claims verified, the Checker's score, and the cap on what is not proven."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vidence.language.phrases import phrase
from vidence.language.tokens import sentences
from vidence.runs.derive import derive_claims
from vidence.runs.inputs import chosen_option
from vidence.runs.ledger import Ledger
from vidence.runs.verify import Verifier
from vidence.runs.verify.checkables import named_frames
from vidence.schema.agent import PASS_SCORE, AnswerLanguage, AnswerPayload, CheckerResponse
from vidence.schema.evidence import CheckedClaim, Citation, Claim

__all__ = ["UNPROVEN_SCORE", "Candidate", "best_of", "claims_of", "probability_of", "propose"]

UNPROVEN_SCORE = 3
"""The highest score of an answer that nothing proves."""
_UNCHECKED_SCORE = 2
"""The score of an answer that no Checker judged."""

# How often answers with each score are right, where the engine states no probability of its own.
_PROBABILITY = {1: 0.1, 2: 0.25, 3: 0.45, 4: 0.7, 5: 0.85}


@dataclass(frozen=True)
class Candidate:
    """A proposed answer and its judgement."""

    step: int
    payload: AnswerPayload
    option: int | None
    claims: tuple[CheckedClaim, ...]
    missing: tuple[str, ...]
    """What the answer says that its evidence does not."""
    verdict: CheckerResponse | None = None
    """The Checker's verdict after the cap; None when nobody judged it."""
    grade: float = 0.0
    """A finer grade, by which a loop may rank answers of one score."""

    @property
    def is_proven(self) -> bool:
        """Whether any citation holds; "it cannot be told" needs none."""
        return self.payload.cannot_tell or any(claim.citations for claim in self.claims)

    @property
    def is_whole(self) -> bool:
        """Whether the evidence bears the answer out; "it cannot be told" needs no proof."""
        return self.is_proven and not self.missing

    @property
    def score(self) -> int:
        return _UNCHECKED_SCORE if self.verdict is None else self.verdict.confidence_score

    @property
    def passes(self) -> bool:
        return self.verdict is not None and self.score >= PASS_SCORE

    def is_same(self, other: Candidate) -> bool:
        """Tell whether another candidate gives the same answer with the same claims."""
        return self.payload.final_answer == other.payload.final_answer and self.claims == other.claims

    def judged(self, verdict: CheckerResponse, language: AnswerLanguage) -> Candidate:
        """Return the candidate with the verdict, capped where the evidence does not carry the answer."""
        return replace(self, verdict=self.capped(verdict, language))

    def capped(self, verdict: CheckerResponse, language: AnswerLanguage) -> CheckerResponse:
        """Return a verdict that is no higher than what the evidence carries."""
        if self.is_whole or verdict.confidence_score <= UNPROVEN_SCORE:
            return verdict
        lacking = ", ".join(self.missing) or phrase("unproven", language).rstrip(".。")
        return CheckerResponse(confidence_score=UNPROVEN_SCORE, feedback=phrase("cite", language, lacking))


def propose(
    payload: AnswerPayload, ledger: Ledger, verifier: Verifier, *, step: int, options: Sequence[str] = ()
) -> Candidate:
    """Return an answer as a candidate, its claims verified, with what its evidence lacks."""
    option = chosen_option(payload, options) if options else None
    claims = verifier.check_all(claims_of(payload, ledger, verifier.question))
    if payload.cannot_tell:
        missing = []
    elif option is not None:
        # The words of an option are the asker's; only a figure or colour that the claims refute counts.
        missing = verifier.contradicted(options[option], claims)
    else:
        missing = verifier.missing(payload.final_answer, claims)
    return Candidate(step, payload, option, claims, tuple(missing))


def claims_of(answer: AnswerPayload, ledger: Ledger, question: str) -> tuple[Claim, ...]:
    """Return what the answer claims.

    Where it lists nothing, each sentence that names a frame or record; else those that records bear out.
    """
    if answer.claims or answer.cannot_tell:
        return answer.claims
    texts = [answer.final_answer, *sentences(answer.explanation or "")]
    named = tuple(claim for text in texts if (claim := _claim(text, ledger)) is not None)
    return named or derive_claims(answer, ledger, question)


def best_of(candidates: Sequence[Candidate]) -> Candidate | None:
    """Return the best grounded answer: by proof, then by score and grade, then the latest."""
    return max(
        candidates,
        key=lambda one: (one.is_proven, one.score, one.is_whole, one.grade, one.step),
        default=None,
    )


def probability_of(candidate: Candidate) -> float:
    """Return the probability that the answer is right."""
    own = candidate.payload.probability
    if own is None:
        return _PROBABILITY[candidate.score]
    return own if candidate.is_whole else min(own, _PROBABILITY[UNPROVEN_SCORE])


def _claim(text: str, ledger: Ledger) -> Claim | None:
    names = [f"frame_{number}" for number in named_frames(text)]
    names += [record.record_id for record in ledger.operations if record.record_id in text]
    citations = tuple(Citation(record_id=name) for name in names)
    return Claim(text=text.strip(), citations=citations) if citations else None
