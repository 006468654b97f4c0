"""An engine that sees, as captioner: frames go to it as small JPEGs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import cv2
from pydantic import BaseModel

from vidence.errors import BackendError
from vidence.llm.factory import create_llm_engine
from vidence.llm.protocol import Engine
from vidence.llm.recovery import Recovering
from vidence.prompts import Prompt
from vidence.schema.message import Message, Picture
from vidence.schema.perception import Rgb

__all__ = ["CaptionVariables", "EngineCaptioner", "build"]

_LONG_SIDE = 768
_QUALITY = 85
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
        pictures = tuple(Picture(data=_jpeg(image)) for image in images)
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


def _jpeg(image: Rgb) -> bytes:
    scale = min(_LONG_SIDE / max(image.shape[:2]), 1.0)
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    done, packed = cv2.imencode(
        ".jpg", cv2.cvtColor(small, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, _QUALITY]
    )
    if not done:
        raise BackendError("A frame could not be written as JPEG for the vision model.")
    return packed.tobytes()
