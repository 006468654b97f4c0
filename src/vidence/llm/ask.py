"""Asking an engine for an object: the one ask–parse–retry loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pydantic import BaseModel

from vidence.llm.deadline import Deadline
from vidence.llm.protocol import Engine, OnText, Reply
from vidence.llm.structured import INVALID_JSON, InvalidReply, Parsed, parse_reply
from vidence.prompts import Prompt
from vidence.schema.frozen import TextResponse
from vidence.schema.message import Message

__all__ = ["Answered", "Called", "ask_for"]

Called = Callable[[Engine, Reply | None], None]
"""Gets every call of an engine, answered or not, so that a budget can count it."""
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Answered(Generic[Model]):
    """A parsed reply, and every reply it took."""

    parsed: Parsed[Model]
    replies: tuple[Reply, ...]

    @property
    def value(self) -> Model:
        return self.parsed.value

    @property
    def text(self) -> str:
        """The reply that was parsed."""
        return self.replies[-1].text


def ask_for(
    engine: Engine,
    prompt: Prompt,
    response: type[Model],
    *,
    attempts: int = 3,
    called: Called | None = None,
    on_text: OnText | None = None,
    timeout_s: float | None = None,
    allowed_s: Callable[[], float | None] | None = None,
) -> Answered[Model]:
    """Return the engine's reply as a `response`; InvalidReply when `attempts` replies hold none.

    An unreadable reply goes back to the engine with the protocol's error message.

    Args:
        called: gets every call, with its reply or with None where it failed.
        timeout_s: for all attempts together.
        allowed_s: instead of `timeout_s`, called before every attempt; raises when none is allowed.
    """
    deadline, replies = Deadline.after(timeout_s), list[Reply]()
    is_text = issubclass(response, TextResponse)
    asked = replace(prompt, response=None if is_text else response)
    while True:
        seconds = allowed_s() if allowed_s is not None else deadline.left_s
        reply: Reply | None = None
        try:
            reply = engine.answer(asked, on_text=on_text, timeout_s=seconds)
        finally:
            if called is not None:
                called(engine, reply)
        replies.append(reply)
        try:
            return Answered(parse_reply(reply.text, response), tuple(replies))
        except InvalidReply as exc:
            exc.reply = reply.text
            if len(replies) >= attempts or deadline.left_s == 0.0:
                raise
            asked = _asked_again(asked, reply)


def _asked_again(prompt: Prompt, reply: Reply) -> Prompt:
    answered = Message(role="assistant", text=reply.text)
    refused = Message(role="user", text=INVALID_JSON)
    return replace(prompt, messages=(*prompt.messages, answered, refused))
