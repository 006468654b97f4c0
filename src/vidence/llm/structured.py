"""Reading a reply: the thinking, and the JSON block that follows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from vidence.errors import OpRetry
from vidence.llm.blocks import json_candidates

__all__ = ["INVALID_JSON", "InvalidReply", "Parsed", "parse_reply"]

INVALID_JSON = "System Error: Invalid JSON format, please output strictly valid JSON."

Model = TypeVar("Model", bound=BaseModel)


class InvalidReply(OpRetry):
    """A reply holds no JSON block of the wanted form; `reason` says what was nearest."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"{INVALID_JSON} ({reason})" if reason else INVALID_JSON)


@dataclass(frozen=True)
class Parsed(Generic[Model]):
    """A reply taken apart."""

    thinking: str
    value: Model


def parse_reply(text: str, response: type[Model]) -> Parsed[Model]:
    """Return the last block of `text` that is a valid `response`, and what was thought before it."""
    reason = "no JSON object in the reply"
    for candidate in reversed(json_candidates(text)):
        try:
            return Parsed(candidate.before.strip(), response.model_validate(candidate.value))
        except ValidationError as exc:
            first = exc.errors()[0]
            reason = f"{'.'.join(str(part) for part in first['loc']) or 'the object'}: {first['msg']}"
    raise InvalidReply(reason)
