"""Asking an engine for a typed reply, sending it back with the error while it is malformed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel

from vidence.llm.protocol import Engine, OnText, Reply
from vidence.llm.structured import InvalidReply, Parsed, parse_reply
from vidence.prompts import Prompt
from vidence.schema.message import Message

__all__ = ["Called", "ask_structured"]

Called = Callable[[Engine, Reply | None], None]
"""Told of every call, answered or not, for the budget."""
Model = TypeVar("Model", bound=BaseModel)


def ask_structured(
    engine: Engine,
    prompt: Prompt,
    response: type[Model],
    *,
    attempts: int = 2,
    called: Called | None = None,
    on_text: OnText | None = None,
    timeout_s: float | None = None,
) -> tuple[Parsed[Model], str]:
    """Return the reply taken apart, and its text; InvalidReply when no attempt gave valid JSON."""
    for attempt in range(1, attempts + 1):
        reply: Reply | None = None
        try:
            reply = engine.answer(prompt, on_text=on_text, timeout_s=timeout_s)
        finally:
            if called is not None:
                called(engine, reply)
        try:
            return parse_reply(reply.text, response), reply.text
        except InvalidReply as exc:
            if attempt == attempts:
                raise
            said = Message(role="assistant", text=reply.text)
            prompt = replace(prompt, messages=(*prompt.messages, said, Message(role="user", text=str(exc))))
    raise AssertionError("unreachable")
