"""What the embedded engine reads and writes: typed variables, and replies in a language model's format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel

from vidence.embedded.recipes.recipe import Finding
from vidence.prompts import Prompt
from vidence.schema.agent import (
    AnswerPayload,
    CallPayload,
    OperationCall,
    ReadPayload,
    RetrievePayload,
    SolverResponse,
)
from vidence.schema.reading import ReaderVariables

__all__ = [
    "answer_reply",
    "bounded",
    "call_reply",
    "finding_reply",
    "json_reply",
    "read_reply",
    "read_variables",
    "retrieve_reply",
]


_Variables = TypeVar("_Variables", bound=BaseModel)


def read_variables(prompt: Prompt, kind: type[_Variables]) -> _Variables:
    """Return a prompt's variables as the type its task needs."""
    if not isinstance(prompt.variables, kind):
        raise TypeError(f"{prompt.task} needs {kind.__name__}, not {type(prompt.variables).__name__}")
    return prompt.variables


def json_reply(thinking: str, response: BaseModel) -> str:
    """Return a reply: thoughts in plain text, then the response as a JSON block."""
    return f"{thinking}\n\n```json\n{response.model_dump_json()}\n```"


def bounded(probability: float) -> float:
    """Return a probability as it is reported: between 0.01 and 0.99, with three digits."""
    return round(min(max(probability, 0.01), 0.99), 3)


def call_reply(thinking: str, calls: Sequence[OperationCall]) -> str:
    """Ask for operations."""
    payload = CallPayload(calls=tuple(calls))
    return json_reply(thinking, SolverResponse(
        thought_summary=thinking, action_type="call_operations", action_payload=payload
    ))  # fmt: skip


def retrieve_reply(thinking: str, count: int, focus: str | None) -> str:
    """Ask for more frames."""
    payload = RetrievePayload(count=count, focus=focus)
    return json_reply(thinking, SolverResponse(
        thought_summary=thinking, action_type="retrieve_more_frames", action_payload=payload
    ))  # fmt: skip


def read_reply(thinking: str, reading: ReaderVariables) -> str:
    """Ask the reader of the run."""
    payload = ReadPayload(reading=reading)
    return json_reply(thinking, SolverResponse(
        thought_summary=thinking, action_type="read_notes", action_payload=payload
    ))  # fmt: skip


def finding_reply(thinking: str, finding: Finding) -> str:
    """Give a recipe's finding as the answer."""
    payload = AnswerPayload(
        final_answer=finding.answer,
        explanation=finding.explanation,
        claims=finding.claims,
        probability=bounded(finding.probability),
        cannot_tell=finding.cannot_tell,
    )
    return answer_reply(thinking, payload)


def answer_reply(thinking: str, payload: AnswerPayload) -> str:
    """Give an answer."""
    return json_reply(thinking, SolverResponse(
        thought_summary=thinking, action_type="answer_question", action_payload=payload
    ))  # fmt: skip
