"""The Protocol of an engine: something that answers a Prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from pydantic import BaseModel

from vidence.prompts import Prompt
from vidence.schema.engine import Capabilities
from vidence.schema.message import Usage

__all__ = ["Capabilities", "Engine", "OnText", "Reply"]

OnText = Callable[[str], None]
"""Called with each piece of a reply as it arrives, and with "" now and then while nothing does.

An exception it raises stops the call. When a call is tried again its pieces start from the beginning.
"""


@dataclass(frozen=True)
class Reply:
    """An engine's reply with its usage and duration."""

    text: str
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    engine: str = ""
    """The engine that answered, which a router or a fallback chose."""
    truncated: bool = False
    """True when the reply stopped at a length limit."""
    confidence: float | None = None
    """How probable the model holds the first value of a reply in JSON; None where it does not say."""


@runtime_checkable
class Engine(Protocol):
    """A language model, or an algorithm in its place."""

    @property
    def name(self) -> str:
        """The engine as `provider:model`."""
        ...

    @property
    def capabilities(self) -> Capabilities: ...

    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Return the reply to one prompt; a failure is a BackendError that names the engine."""
        ...

    def __call__(
        self,
        input_data: Sequence[str | bytes],
        *,
        response_format: type[BaseModel] | None = None,
        **options: Any,
    ) -> Any:
        """Answer texts and pictures given as a list; with `response_format` return such a model."""
        ...
