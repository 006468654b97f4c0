"""The Checker: judges one answer from the evidence alone and keeps no history."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.language.identify import LANGUAGE_NAMES
from vidence.llm.ask import ask_for
from vidence.llm.protocol import Engine
from vidence.prompts import Prompt, Wording
from vidence.prompts.fenced import fenced, frames_text, options_text, records_text, videos_text
from vidence.schema.agent import CheckerResponse, CheckerVariables
from vidence.schema.evidence import CheckedClaim
from vidence.schema.message import Message

__all__ = ["CHECKER_ATTEMPTS", "CHECKER_TASK", "checker_prompt", "evaluate_answer"]

CHECKER_TASK = "checker.evaluate"
CHECKER_ATTEMPTS = 2
_TEMPLATES = ("checker.system", "checker.protocol", "checker.question")
_HEADINGS = {"en": ("Options:", "Videos:"), "zh": ("选项：", "视频：")}


def evaluate_answer(
    variables: CheckerVariables, engine: Engine, *, wording: Wording | None = None
) -> CheckerResponse:
    """Return the Checker's score and feedback; InvalidReply when it writes none, never a low score."""
    prompt = checker_prompt(variables, wording or Wording(variables.language))
    return ask_for(engine, prompt, CheckerResponse, attempts=CHECKER_ATTEMPTS).value


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
