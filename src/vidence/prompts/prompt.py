"""One call of a language model: a task, typed variables, the rendered text, and what must come back."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from pydantic import BaseModel

from vidence.schema.message import Message

__all__ = ["Prompt", "TemplateUse"]


@dataclass(frozen=True)
class TemplateUse:
    """Which template a text came from, to the byte."""

    template_id: str
    language: str
    sha256: str


@dataclass(frozen=True)
class Prompt:
    """Everything an engine needs: a real one sends the messages, the embedded one reads the variables."""

    task: str
    """What is asked, such as `solver.step` or `checker.evaluate`; routers and embedded engines go by it."""
    messages: tuple[Message, ...]
    """The whole conversation, the system's words first."""
    variables: BaseModel
    response: type[BaseModel] | None = None
    """What the reply must hold as a JSON block; None for free text."""
    templates: tuple[TemplateUse, ...] = ()
    is_direct: bool = False
    """True when the reply is the JSON object alone, with no thinking before it."""
    max_tokens: int | None = None
    """The longest reply that a model on this machine writes; None for its own limit."""
    reply_tokens: int | None = None
    """The longest reply that the caller wants of any engine; None for the engine's own limit."""
    temperature: float | None = None
    """The temperature of this one reply; None for the engine's own."""
    letters: str = ""
    """The letters of the options to choose between: an engine that can replies with the probability of each,
    as in `{"A": 0.7, "B": 0.3}`, any other with one of them."""
    source: str = ""
    """The name of what the prompt begins with, such as the notes of one video: a model on this machine keeps
    what it has read of it. Empty where no other prompt begins alike."""

    @property
    def text(self) -> str:
        """The conversation as one text, for counting and hashing."""
        return "\n\n".join(f"{message.role}: {message.text}" for message in self.messages)

    @property
    def sha256(self) -> str:
        """Name the rendered conversation, pictures included; a trace names it the same way."""
        digest = hashlib.sha256()
        for message in self.messages:
            pictures = " ".join(hashlib.sha256(picture.data).hexdigest() for picture in message.pictures)
            text = hashlib.sha256(message.text.encode(errors="replace")).hexdigest()
            digest.update(f"{message.role} {text} {pictures}\n".encode())
        return digest.hexdigest()
