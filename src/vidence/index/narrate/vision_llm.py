"""A captioner that asks a vision-capable language model about frames, sent as small JPEGs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from pydantic import BaseModel

from vidence.llm.factory import create_llm_engine
from vidence.llm.protocol import Engine
from vidence.llm.recovery import Recovering
from vidence.media.jpeg import encode_jpeg
from vidence.prompts import Prompt
from vidence.schema.message import EncodedPicture, Message
from vidence.schema.perception import Rgb

__all__ = ["CaptionVariables", "EngineCaptioner", "build"]

_LONG_SIDE = 768
_MAX_TOKENS = 400


class CaptionVariables(BaseModel):
    """What a caption is asked with."""

    prompt: str
    num_pictures: int


class EngineCaptioner:
    """Asks an engine about pictures."""

    def __init__(self, engine: Engine) -> None:
        self.model_id = f"vision-llm:{engine.name.partition(':')[2] or engine.name}"
        self._engine = engine

    def caption(self, images: Sequence[Rgb], *, prompt: str) -> str:
        """Return the answer to `prompt` about the pictures, taken together in order."""
        pictures = tuple(EncodedPicture(data=encode_jpeg(image, max_side=_LONG_SIDE)) for image in images)
        message = Message(role="user", text=prompt, pictures=pictures)
        variables = CaptionVariables(prompt=prompt, num_pictures=len(pictures))
        return self._engine.answer(Prompt("captions.describe", (message,), variables)).text.strip()


class Options(Protocol):
    """The options of a model's row in the settings."""

    def option(self, name: str, default: str | None = None) -> str: ...

    def number(self, name: str, default: float) -> float: ...


def build(context: Options) -> EngineCaptioner:
    """Open the captioner of option `engine`, or of `base_url` and `model`; the environment holds the key."""
    options: dict[str, Any] = {
        "max_tokens": _MAX_TOKENS,
        "timeout_s": context.number("timeout_s", 60),
        "vision": True,
    }
    name = context.option("engine", "")
    if not name:
        name = f"openai:{context.option('model')}"
        options |= {"base_url": context.option("base_url"), "stream": False}
    if variable := context.option("api_key_env", ""):
        options["api_key_env"] = variable
    return EngineCaptioner(Recovering(create_llm_engine(name, **options)))
