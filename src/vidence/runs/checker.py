"""The Checker: judges one answer from the evidence alone and keeps no history."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.language.identify import LANGUAGE_NAMES
from vidence.llm.ask import ask_for
from vidence.llm.factory import as_engine
from vidence.llm.protocol import Engine
from vidence.prompts import Prompt, Wording
from vidence.prompts.fenced import fenced, frames_text, options_text, records_text, videos_text
from vidence.runs.inputs import UnitLike, check_units, checked_input
from vidence.runs.judge import propose
from vidence.runs.ledger import Ledger, frame_record
from vidence.runs.verify import Verifier
from vidence.schema.agent import AnswerLanguage, AnswerPayload, CheckerResponse, CheckerVariables
from vidence.schema.evidence import CheckedClaim
from vidence.schema.message import Message

__all__ = ["CHECKER_ATTEMPTS", "CHECKER_TASK", "checker_prompt", "evaluate_answer"]

CHECKER_TASK = "checker.evaluate"
CHECKER_ATTEMPTS = 2
_TEMPLATES = ("checker.system", "checker.protocol", "checker.question")
_HEADINGS = {"en": ("Options:", "Videos:"), "zh": ("选项：", "视频：")}


def evaluate_answer(
    question: str,
    memory: Sequence[UnitLike],
    answer: str,
    explanation: str = "",
    *,
    engine: Engine | str = "embedded",
    options: Sequence[str] = (),
    language: AnswerLanguage | None = None,
    wording: Wording | None = None,
) -> CheckerResponse:
    """Return a fresh Checker's score and feedback on an answer, given what is in memory.

    The answer's sentences are checked against the captions first, as in a run: what nothing supports scores 3
    at most. InvalidReply when the Checker writes no score, never a low one.
    """
    given = checked_input(question, options, language)
    units, ledger = check_units(memory, what="memory"), Ledger()
    ledger.add_all([frame_record(unit) for unit in units])
    payload = AnswerPayload(final_answer=answer, explanation=explanation)
    verifier = Verifier(ledger, question=given["question"])
    candidate = propose(payload, ledger, verifier, step=1, options=given["options"])
    variables = CheckerVariables(
        **given, memory=tuple(units), records=tuple(ledger), answer=payload, claims=candidate.claims
    )
    prompt = checker_prompt(variables, wording or Wording(variables.language))
    verdict = ask_for(as_engine(engine), prompt, CheckerResponse, attempts=CHECKER_ATTEMPTS).value
    return candidate.capped(verdict, variables.language)


def checker_prompt(variables: CheckerVariables, wording: Wording) -> Prompt:
    """Return everything a Checker is shown."""
    language = LANGUAGE_NAMES[variables.language]
    system = f"{wording.fill('checker.system')}\n\n{wording.fill('checker.protocol', language=language)}"
    options, videos = _HEADINGS[variables.language]
    asked = wording.fill(
        "checker.question",
        question=variables.question,
        options=options_text(variables.options, options),
        videos=videos_text(variables.videos, videos),
        frames=frames_text(variables.memory),
        results=records_text(record for record in variables.records if record.kind != "frame"),
        answer=fenced(variables.answer.final_answer),
        explanation=fenced(variables.answer.explanation),
        claims=fenced(_claims_text(variables.claims)),
    )
    messages = (Message(role="system", text=system), Message(role="user", text=asked))
    return Prompt(CHECKER_TASK, messages, variables, CheckerResponse, wording.uses(*_TEMPLATES))


def _claims_text(claims: Sequence[CheckedClaim]) -> str:
    lines = []
    for claim in claims:
        cited = ", ".join(citation.record_id for citation in claim.citations) or "nothing"
        problems = f" ({'; '.join(claim.problems)})" if claim.problems else ""
        lines.append(f"- {claim.verdict}: {claim.text} [{cited}]{problems}")
    return "\n".join(lines) or "-"
