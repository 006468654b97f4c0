"""What an engine declares about itself; the loops ask these fields and never which engine it is."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from vidence.schema.frozen import Frozen

__all__ = ["Capabilities", "CaptionDetail", "EngineCard"]

CaptionDetail = Literal["standard", "brief"]


class Capabilities(Frozen):
    """What an engine can do, as data. The defaults describe a small language model behind a server."""

    sees_pictures: bool = False
    json_schema: bool = False
    """The engine itself guarantees that the reply follows the JSON schema."""
    streaming: bool = False
    context_tokens: int = 8192
    deterministic: bool = False
    """The same prompt gives the same reply, so asking again is useless."""
    max_calls: int = Field(default=12, ge=1)
    """Operations answered in one step; their results fill a language model's context."""
    max_videos: int | None = Field(default=None, ge=1)
    """Videos that one run may look at; None for any number."""
    caption_detail: CaptionDetail = "standard"
    """How detailed the captions of frames are that the engine is given."""
    reads_text: bool = True
    """True: reads the rendered messages and must be told the operations' schemas. False: reads the
    prompt's variables."""
    metered: bool = True
    """Its calls count as LLM calls and its tokens cost money."""


class EngineCard(Capabilities):
    """An engine as a trace records it."""

    name: str
