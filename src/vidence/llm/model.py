"""What engines with a language model share: a hard deadline, streaming, and checks of the reply."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from vidence.errors import ErrorType, ServiceError, UserError
from vidence.llm.base import EngineBase
from vidence.llm.deadline import DeadlinePassed, run_within
from vidence.llm.facts import count_prompt, count_text
from vidence.llm.protocol import Capabilities, OnText, Reply
from vidence.llm.thinking import Unwrapper, with_thinking
from vidence.prompts import Prompt
from vidence.schema.message import Usage

__all__ = ["MAX_REPLY_CHARS", "Converse", "Draft", "ModelEngine", "ReplyTooLong", "Stop", "sendable"]


MAX_REPLY_CHARS = 400_000
"""Far more than a model writes for one question; what comes after is not read."""


class ReplyTooLong(ValueError):
    """A reply has more characters or bytes than anything reads."""


@dataclass
class Draft:
    """A reply while it arrives."""

    emit: OnText
    wrapped: bool
    """True when the model must follow the schema that wraps its thinking."""
    pieces: list[str] = field(default_factory=list)
    usage: Usage | None = None
    finish: str | None = None
    """The server's word for why the model stopped; None while it has not."""
    unwrapper: Unwrapper = field(default_factory=Unwrapper)
    size: int = 0
    confidence: float | None = None

    def add(self, piece: str) -> None:
        """Take in a piece of text and pass it on; ReplyTooLong when there is no end to it."""
        self.size += len(piece)
        if self.size > MAX_REPLY_CHARS:
            raise ReplyTooLong(f"the answer is longer than {MAX_REPLY_CHARS} characters")
        self._say(self.unwrapper.feed(piece) if self.wrapped else piece)

    def close(self) -> None:
        """Pass on the text that the unwrapper held back."""
        if self.wrapped:
            self._say(self.unwrapper.close())

    def _say(self, text: str) -> None:
        if text:
            self.pieces.append(text)
            self.emit(text)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


Converse = Callable[[Draft], None]
"""Calls the model and fills the draft; runs in a thread of its own."""
Stop = Callable[[], None]
"""Ends a call that nobody waits for any more."""


class ModelEngine(EngineBase):
    """A language model; a subclass says how it is called."""

    truncated_by = frozenset({"length", "max_tokens"})
    refused_by: frozenset[str] = frozenset()

    def __init__(self, name: str, capabilities: Capabilities, *, timeout_s: float, constrained: bool) -> None:
        super().__init__(name, capabilities)
        self._timeout_s, self._constrained = timeout_s, constrained

    @abstractmethod
    def start(self, prompt: Prompt, limit_s: float) -> tuple[Converse, Stop]:
        """Return the two ends of one call: what runs it and what stops it."""

    def fault(self, error_type: ErrorType, what: str, *, retry_after_s: float | None = None) -> ServiceError:
        """Return an error that names this engine."""
        return ServiceError(
            f"{self.name}: {what}", error_type, service=self.name, retry_after_s=retry_after_s
        )

    def response_format(self, prompt: Prompt) -> dict[str, Any]:
        """Return the field of a request that constrains the reply to its schema; {} where nothing does."""
        if not self._constrained or prompt.response is None:
            return {}
        form = prompt.response.model_json_schema() if prompt.is_direct else with_thinking(prompt.response)
        schema = {"name": prompt.response.__name__, "schema": form}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}

    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Call the model and return its reply, within `timeout_s` and the engine's own limit."""
        self._require_sight(prompt)
        limit = self._timeout_s if timeout_s is None else max(min(timeout_s, self._timeout_s), 0.001)
        started = time.perf_counter()
        converse, stop = self.start(prompt, limit)

        def run(emit: OnText) -> Draft:
            draft = Draft(emit, self._constrained and prompt.response is not None and not prompt.is_direct)
            converse(draft)
            draft.close()
            return draft

        try:
            draft = run_within(limit, run, on_text=on_text, stop=stop)
        except DeadlinePassed:
            raise self.fault(ErrorType.API_TIMEOUT, f"no complete answer within {limit:g} s.") from None
        return self._reply(prompt, draft, time.perf_counter() - started)

    def _require_sight(self, prompt: Prompt) -> None:
        """Refuse pictures the model would not see: an answer given blind must not pass for a look."""
        if not self.capabilities.sees_pictures and any(message.pictures for message in prompt.messages):
            raise UserError(
                f"The prompt has pictures and {self.name} is not known to see. Choose a model with vision, "
                "set the option vision = true if it has it, or send text only."
            )

    def _reply(self, prompt: Prompt, draft: Draft, seconds: float) -> Reply:
        text = draft.text
        if draft.finish in self.refused_by:
            raise self.fault(ErrorType.REQUEST_REFUSED, "the model declined to answer.")
        if draft.finish is None and text:
            raise self.fault(ErrorType.NETWORK_ERROR, "the stream broke off before its end.")
        if not text.strip():
            what = (
                "the answer was empty or unreadable" if draft.finish is None else "the model answered nothing"
            )
            raise self.fault(ErrorType.INVALID_REPLY, f"{what}.")
        usage = draft.usage or Usage(input_tokens=count_prompt(prompt), output_tokens=count_text(text))
        is_cut = draft.finish in self.truncated_by
        return Reply(text, usage, seconds, self.name, is_cut, draft.confidence)


def sendable(text: str) -> str:
    """Return a text without unpaired surrogates, which UTF-8 cannot carry."""
    return text.encode("utf-8", "replace").decode("utf-8")
