"""The Checker: judges one answer from the context alone and remembers nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vidence.agents.solver_checker.messages import (
    fenced,
    frames_text,
    options_text,
    record_block,
    videos_text,
)
from vidence.language.names import LANGUAGE_NAMES
from vidence.llm.protocol import Engine, Reply
from vidence.llm.structured import INVALID_JSON, InvalidReply, parse_reply
from vidence.prompts import Prompt
from vidence.runs.wording import Wording
from vidence.schema.agent import CheckerResponse, CheckerVariables
from vidence.schema.evidence import CheckedClaim
from vidence.schema.message import Message

__all__ = ["CHECKER_TASK", "Ask", "checker_prompt", "evaluate_answer"]

CHECKER_TASK = "checker.evaluate"
Ask = Callable[[Prompt], Reply]
"""Sends one prompt to the Checker's engine, within whatever budget the caller keeps."""

_ATTEMPTS = 2
_TEMPLATES = ("checker.system", "checker.protocol", "checker.question")
_HEADINGS = {"en": ("Options:", "Videos:"), "zh": ("选项：", "视频：")}


def evaluate_answer(
    variables: CheckerVariables, engine: Engine | Ask, *, wording: Wording | None = None
) -> CheckerResponse:
    """Return the Checker's score and feedback; InvalidReply when it twice writes none.

    A judge that fails is a failed judge, never a low score.
    """
    ask: Ask = engine.answer if isinstance(engine, Engine) else engine
    prompt = checker_prompt(variables, wording or Wording(variables.language))
    problem = InvalidReply("")
    for _ in range(_ATTEMPTS):
        reply = ask(prompt)
        try:
            return parse_reply(reply.text, CheckerResponse).value
        except InvalidReply as exc:
            problem = exc
            prompt = _again(prompt, reply)
    raise problem


def checker_prompt(variables: CheckerVariables, wording: Wording) -> Prompt:
    """Return the whole of what a Checker is shown."""
    language = LANGUAGE_NAMES[variables.language]
    system = f"{wording.fill('checker.system')}\n\n{wording.fill('checker.protocol', language=language)}"
    options, videos = _HEADINGS[variables.language]
    records = [record for record in variables.records if record.kind != "frame"]
    asked = wording.fill(
        "checker.question",
        question=variables.question,
        options=options_text(variables.options, options),
        videos=videos_text(variables.videos, videos),
        frames=frames_text(variables.memory),
        results="\n".join(record_block(record) for record in records),
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


def _again(prompt: Prompt, reply: Reply) -> Prompt:
    more = (Message(role="assistant", text=reply.text), Message(role="user", text=INVALID_JSON))
    return Prompt(prompt.task, (*prompt.messages, *more), prompt.variables, prompt.response, prompt.templates)
