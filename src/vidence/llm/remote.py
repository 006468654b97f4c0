"""What the engines behind HTTP share: one client a call, a hard deadline, and translated failures."""

from __future__ import annotations

import ssl
import time
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from vidence.errors import ErrorType, UserError
from vidence.llm.base import EngineBase
from vidence.llm.deadline import DeadlinePassed, run_within
from vidence.llm.faults import fault, translate
from vidence.llm.options import HttpOptions, Target
from vidence.llm.protocol import OnText, Reply
from vidence.llm.thinking_schema import Unwrapper
from vidence.llm.tokens import count_prompt, count_text
from vidence.prompts import Prompt
from vidence.schema.message import Usage

if TYPE_CHECKING:
    import httpx2

__all__ = ["Draft", "RemoteEngine", "limit_s", "require_sight", "sendable"]

_CONNECT_S = 10.0
_SENT = frozenset(
    {
        "accept",
        "accept-encoding",
        "anthropic-version",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
        "user-agent",
        "x-api-key",
    }
)
"""Headers that may leave; the SDKs would add the machine's description and other accounts' names."""


@dataclass
class Draft:
    """A reply while it arrives."""

    emit: OnText
    wrapped: bool
    """True when the server was held to the schema that wraps thinking."""
    pieces: list[str] = field(default_factory=list)
    usage: Usage | None = None
    finish: str | None = None
    unwrapper: Unwrapper = field(default_factory=Unwrapper)

    def add(self, piece: str) -> None:
        """Take in a piece of text and pass it on."""
        self._say(self.unwrapper.feed(piece) if self.wrapped else piece)

    def close(self) -> None:
        """Say what was held back."""
        if self.wrapped:
            self._say(self.unwrapper.close())

    def _say(self, text: str) -> None:
        if text:
            self.pieces.append(text)
            self.emit(text)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class RemoteEngine(EngineBase):
    """A model behind HTTP; a subclass says how its server is spoken to."""

    sdk_name = ""
    truncated_by: frozenset[str] = frozenset()
    refused_by: frozenset[str] = frozenset()

    def __init__(self, target: Target, options: HttpOptions, sdk: ModuleType) -> None:
        super().__init__(target.name, target.capabilities)
        self.target = target
        self.options = options
        self._sdk = sdk

    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Send the prompt and return the reply, within `timeout_s` in all."""
        require_sight(self.name, self.capabilities.sees_pictures, prompt)
        limit, started = limit_s(timeout_s, self.options.timeout_s), time.perf_counter()
        client = _client(limit)

        def run(emit: OnText) -> Draft:
            draft = Draft(emit, self.target.structured == "schema" and prompt.response is not None)
            try:
                self.converse(prompt, draft, client)
            except Exception as exc:
                raise translate(exc, self.target, self._sdk, timeout_s=limit) from self._cause(exc)
            draft.close()
            return draft

        try:
            draft = run_within(limit, run, on_text=on_text, stop=client.close)
        except DeadlinePassed:
            said = f"no complete answer within {limit:g} s."
            raise fault(self.target, ErrorType.API_TIMEOUT, said) from None
        finally:
            client.close()
        return self._reply(prompt, draft, time.perf_counter() - started)

    def converse(self, prompt: Prompt, draft: Draft, client: httpx2.Client) -> None:
        """Call the server and fill the draft."""
        raise NotImplementedError

    def _cause(self, exc: Exception) -> Exception | None:
        # A server may repeat the key in its refusal, and a traceback prints causes.
        key = self.target.key
        return None if key and key in f"{exc}{exc.__cause__}" else exc

    def _reply(self, prompt: Prompt, draft: Draft, seconds: float) -> Reply:
        if draft.finish in self.refused_by:
            raise fault(self.target, ErrorType.REQUEST_REFUSED, "the model declined to answer.")
        if draft.finish is None:
            said = (
                "the stream broke off before its end."
                if draft.text
                else "the answer was empty or unreadable."
            )
            kind = ErrorType.NETWORK_ERROR if draft.text else ErrorType.INVALID_REPLY
            raise fault(self.target, kind, said)
        if not draft.text.strip():
            raise fault(self.target, ErrorType.INVALID_REPLY, "the model answered nothing.")
        usage = draft.usage or Usage(input_tokens=count_prompt(prompt), output_tokens=count_text(draft.text))
        return Reply(draft.text, usage, seconds, self.name, draft.finish in self.truncated_by)


def limit_s(wanted: float | None, own: float) -> float:
    """Return the seconds one try may take: the caller's bound or the engine's own, whichever is nearer."""
    return own if wanted is None else max(min(wanted, own), 0.001)


def require_sight(name: str, sees_pictures: bool, prompt: Prompt) -> None:
    """Refuse pictures the engine would not see: an answer given blind must not pass for one that looked."""
    if not sees_pictures and any(message.pictures for message in prompt.messages):
        raise UserError(
            f"The prompt has pictures and {name} is not known to see. Choose a model with vision, set the "
            "option vision = true if it has it, or send text only."
        )


def sendable(text: str) -> str:
    """Return a text without the half characters that no wire carries."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _client(limit_s: float) -> httpx2.Client:
    import httpx2

    timeout = httpx2.Timeout(limit_s, connect=min(_CONNECT_S, limit_s))
    return httpx2.Client(
        timeout=timeout,
        follow_redirects=False,
        verify=_trust(),
        event_hooks={"request": [_strip]},
    )


@cache
def _trust() -> ssl.SSLContext:
    import httpx2

    return httpx2.create_ssl_context()


def _strip(request: Any) -> None:
    for name in [name for name in request.headers if name.lower() not in _SENT]:
        del request.headers[name]
