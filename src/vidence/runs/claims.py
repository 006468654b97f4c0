"""The claims of an answer: as the Solver wrote them, or read from the frames its words name."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.language.tokens import sentences
from vidence.runs.ledger import Ledger
from vidence.runs.verify.checkables import named_frames
from vidence.schema.agent import AnswerPayload
from vidence.schema.evidence import Citation, Claim

__all__ = ["claims_of"]


def claims_of(answer: AnswerPayload, ledger: Ledger) -> tuple[Claim, ...]:
    """Return what the answer claims; where it lists nothing, each sentence that names what it rests on."""
    if answer.claims:
        return answer.claims
    derived = [_claim(text, ledger) for text in sentences(answer.explanation or "")]
    claims = [claim for claim in derived if claim is not None]
    whole = _claim(answer.final_answer, ledger)
    return (whole, *claims) if whole is not None else tuple(claims)


def _claim(text: str, ledger: Ledger) -> Claim | None:
    names = [f"frame_{number}" for number in named_frames(text)]
    names += [record.record_id for record in ledger.operations if record.record_id in text]
    if not names:
        return None
    return Claim(text=text.strip(), citations=_cited(names))


def _cited(names: Sequence[str]) -> tuple[Citation, ...]:
    return tuple(Citation(record_id=name) for name in names)
