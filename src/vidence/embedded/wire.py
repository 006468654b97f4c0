"""The wire format the embedded engine writes, the same a language model is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.embedded.recipes.recipe import Finding
from vidence.schema.agent import (
    AnswerPayload,
    CallPayload,
    CheckerResponse,
    OperationCall,
    RetrievePayload,
    SolverResponse,
)

__all__ = ["answer_reply", "call_reply", "check_reply", "finding_reply", "retrieve_reply"]


def call_reply(thinking: str, calls: Sequence[OperationCall]) -> str:
    """Ask for operations."""
    payload = CallPayload(calls=tuple(calls))
    return _reply(thinking, SolverResponse(
        thought_summary=thinking, action_type="call_operations", action_payload=payload
    ))  # fmt: skip


def retrieve_reply(thinking: str, count: int, focus: str | None) -> str:
    """Ask for more frames."""
    payload = RetrievePayload(count=count, focus=focus)
    return _reply(thinking, SolverResponse(
        thought_summary=thinking, action_type="retrieve_more_frames", action_payload=payload
    ))  # fmt: skip


def finding_reply(thinking: str, finding: Finding) -> str:
    """Give what a recipe came to as the answer."""
    payload = AnswerPayload(
        final_answer=finding.answer,
        explanation=finding.explanation,
        claims=finding.claims,
        probability=round(min(max(finding.probability, 0.01), 0.99), 3),
        cannot_tell=finding.cannot_tell,
    )
    return answer_reply(thinking, payload)


def answer_reply(thinking: str, payload: AnswerPayload) -> str:
    """Give an answer."""
    return _reply(thinking, SolverResponse(
        thought_summary=thinking, action_type="answer_question", action_payload=payload
    ))  # fmt: skip


def check_reply(thinking: str, response: CheckerResponse) -> str:
    """Give a Checker's judgement."""
    return _reply(thinking, response)


def _reply(thinking: str, response: SolverResponse | CheckerResponse) -> str:
    return f"{thinking}\n\n```json\n{response.model_dump_json()}\n```"
