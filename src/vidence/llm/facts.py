"""What is known of models by name: whether they see, how much they read, what they cost.

Tokens are counted roughly here, for servers that do not say and for prompts not yet sent.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from vidence.llm.protocol import Capabilities
from vidence.prompts import Prompt
from vidence.schema.message import Usage
from vidence.settings import ModelFacts

__all__ = [
    "DEFAULT_FACTS",
    "Provider",
    "capabilities_of",
    "count_prompt",
    "count_text",
    "facts_of",
    "known_models",
    "price_usd",
    "providers",
]

Structured = Literal["text", "schema"]

DEFAULT_FACTS = ModelFacts(pattern="*")
"""A model nobody has described: text only, a modest context, no price."""
_CHARS_PER_TOKEN = 3.5
"""For Latin text; Chinese, Japanese and Korean characters are about a token each."""
_PICTURE_TOKENS = 800
"""What most vendors count for a picture of some 768 pixels."""


class Provider(BaseModel):
    """One server by name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str
    base_url_env: str = ""
    """The environment variable whose address replaces `base_url`."""
    key_env: tuple[str, ...] = ()
    model: str = ""
    """Used when only the provider is named; empty where the user must choose."""
    embedding_model: str = ""
    """The model of its embeddings API; empty where there is none or the user must choose."""
    structured: Structured = "text"
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    prices_as_of: str
    models: tuple[ModelFacts, ...] = Field(min_length=1)


def facts_of(name: str, own: Sequence[ModelFacts] = ()) -> ModelFacts:
    """Return the first row that fits `provider:model`; the user's own rows come before ours."""
    lowered = name.lower()
    rows = (*own, *known_models())
    return next((row for row in rows if fnmatchcase(lowered, row.pattern.lower())), DEFAULT_FACTS)


def capabilities_of(facts: ModelFacts) -> Capabilities:
    """Return the facts as an engine's capabilities."""
    return Capabilities(
        sees_pictures=facts.vision,
        json_schema=facts.json_schema,
        streaming=True,
        context_tokens=facts.context_tokens,
    )


def price_usd(facts: ModelFacts, usage: Usage) -> float | None:
    """Return what a call cost, or None where the price is not known: never a made-up zero."""
    if facts.input_usd is None or facts.output_usd is None:
        return None
    return (usage.input_tokens * facts.input_usd + usage.output_tokens * facts.output_usd) / 1e6


def count_text(text: str) -> int:
    """Return about how many tokens a text is; rather too many than too few."""
    wide = sum(1 for character in text if ord(character) >= 0x2E80)
    return wide + int((len(text) - wide) / _CHARS_PER_TOKEN) + 1


def count_prompt(prompt: Prompt) -> int:
    """Return about how many tokens a prompt is, pictures included."""
    pictures = sum(len(message.pictures) for message in prompt.messages)
    return count_text(prompt.text) + 4 * len(prompt.messages) + _PICTURE_TOKENS * pictures


@cache
def known_models() -> tuple[ModelFacts, ...]:
    """Return the shipped rows, the narrow ones first."""
    return _Table.model_validate(_read("models.toml")).models


@cache
def providers() -> dict[str, Provider]:
    """Return the shipped servers by name."""
    return {name: Provider.model_validate(row) for name, row in _read("providers.toml").items()}


def _read(name: str) -> dict[str, object]:
    text = files("vidence.llm").joinpath("data", name).read_text(encoding="utf-8")
    return tomllib.loads(text)
