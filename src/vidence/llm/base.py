"""The base class of engines: a name, capabilities, and being callable on texts and pictures."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vidence.errors import UserError
from vidence.language.identify import question_language
from vidence.llm.ask import ask_for
from vidence.llm.protocol import Capabilities, OnText, Reply
from vidence.prompts import Prompt, load_template
from vidence.schema.message import EncodedPicture, Message

__all__ = ["CallOptions", "EngineBase", "FreeVariables"]


class FreeVariables(BaseModel):
    """The variables of a call that came without a template."""

    texts: tuple[str, ...]


class EngineBase(ABC):
    """An engine that only has to answer a Prompt; the call on a list of texts and pictures comes with it."""

    def __init__(self, name: str, capabilities: Capabilities) -> None:
        self.name, self.capabilities = name, capabilities

    @abstractmethod
    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Return the reply to one prompt."""

    def warm_up(self) -> None:
        """Begin in the background what the first call would wait for; by default nothing."""
        return

    def close(self) -> None:
        """Give back what the engine holds; by default nothing."""
        return

    def __call__(
        self,
        input_data: Sequence[str | bytes],
        *,
        response_format: type[BaseModel] | None = None,
        **options: Any,
    ) -> Any:
        """Answer texts and pictures given as a list; with `response_format` return such a model.

        Args:
            options: temperature, max_tokens and timeout_s of this one call; any other is refused.
        """
        chosen = _call_options(self.name, options)
        if isinstance(input_data, str | bytes) or not isinstance(input_data, Sequence):
            raise UserError(
                f"{self.name}: give a list of texts and pictures, not {type(input_data).__name__}."
            )
        kinds: set[type] = {type(part) for part in input_data}
        if wrong := kinds - {str, bytes}:
            raise UserError(
                f"{self.name}: {wrong.pop().__name__} is neither a text nor the bytes of a picture."
            )
        texts = tuple(part for part in input_data if isinstance(part, str))
        pictures = tuple(EncodedPicture.from_bytes(part) for part in input_data if isinstance(part, bytes))
        text = "\n\n".join(texts)
        if response_format is not None:
            text = f"{text}\n\n{_form(text, response_format)}"
        message = Message(role="user", text=text, pictures=pictures)
        prompt = Prompt(
            "free",
            (message,),
            FreeVariables(texts=texts),
            response_format,
            reply_tokens=chosen.max_tokens,
            temperature=chosen.temperature,
        )
        if response_format is None:
            return self.answer(prompt, timeout_s=chosen.timeout_s).text
        return ask_for(self, prompt, response_format, timeout_s=chosen.timeout_s).value


class CallOptions(BaseModel):
    """The options of one call."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    timeout_s: float | None = Field(default=None, gt=0)


def _call_options(name: str, options: dict[str, Any]) -> CallOptions:
    try:
        return CallOptions.model_validate(options)
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        option = str(first["loc"][0])
        known = ", ".join(CallOptions.model_fields)
        if first["type"] == "extra_forbidden":
            raise UserError(f"{name}: a call has no option {option!r}. Known: {known}.") from None
        raise UserError(f"{name}: {option}: {first['msg']}.") from exc


def _form(text: str, response: type[BaseModel]) -> str:
    """Return the words that ask for an object, in the language of the text."""
    schema = json.dumps(response.model_json_schema(), ensure_ascii=False)
    return load_template("free.form", question_language(text)).fill(schema=schema)
