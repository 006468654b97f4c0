"""How a recipe is written: it yields the operations it needs and returns what it found.

A Solver step is stateless, so a recipe is run again from its beginning at every step, with the answers
that are already in the ledger; it gets as far as the first operations nobody has answered yet.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vidence.language.question.form import QuestionForm
from vidence.schema.agent import OperationCall, SolverVariables
from vidence.schema.evidence import Claim, EvidenceRecord

__all__ = ["Answers", "Finding", "Inquiry", "Recipe", "Steps", "advance", "call"]

Answers = list[EvidenceRecord | None]
"""One per call, in order; None where the call failed."""
Steps = Generator[Sequence[OperationCall], Answers, "Finding"]
"""Yields calls to make side by side, is sent their answers, returns what was found."""


@dataclass(frozen=True)
class Finding:
    """What a recipe comes to."""

    answer: str
    """Short and direct, in the question's language."""
    probability: float
    """How probable it is that the answer is right, calibrated."""
    claims: tuple[Claim, ...] = ()
    explanation: str = ""
    cannot_tell: bool = False


@dataclass(frozen=True)
class Inquiry:
    """What a recipe works on."""

    form: QuestionForm
    variables: SolverVariables
    embed: Callable[[Sequence[str]], Any]
    """The text embedder: sentences to an (N, D) array of unit vectors."""

    @property
    def video_id(self) -> str:
        return self.variables.videos[0].video_id

    @property
    def duration_s(self) -> float:
        return self.variables.videos[0].duration_s


Recipe = Callable[[Inquiry], Steps]


def call(operation: str, inquiry: Inquiry, **arguments: Any) -> OperationCall:
    """Return a call of an operation on the inquiry's video."""
    return OperationCall(operation=operation, arguments={"video_id": inquiry.video_id, **arguments})


def advance(steps: Steps, variables: SolverVariables) -> Sequence[OperationCall] | Finding:
    """Run a recipe against the ledger; return its finding, or the calls it is waiting for."""
    known = _known(variables)
    try:
        wanted = next(steps)
        while True:
            missing = [one for one in wanted if _key(one) not in known]
            if missing:
                return missing
            wanted = steps.send([known[_key(one)] for one in wanted])
    except StopIteration as done:
        finding: Finding = done.value
        return finding


def _known(variables: SolverVariables) -> Mapping[str, EvidenceRecord | None]:
    known: dict[str, EvidenceRecord | None] = {_key(one): None for one, _ in variables.failed_calls}
    for record in variables.records:
        if record.kind == "operation":
            known[_key(OperationCall(operation=record.source, arguments=record.asked))] = record
    return known


def _key(one: OperationCall) -> str:
    return f"{one.operation} {sorted(one.arguments.items(), key=str)}"
