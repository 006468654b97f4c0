"""The base of every operation's request and result."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Category", "Request", "Result"]

Category = Literal["video", "perception", "entity", "retrieval", "memory"]


class Request(BaseModel):
    """What a caller sends; unknown parameters are an error, never ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    video_id: str = Field(
        min_length=1, description="Unique id of the video, as `vidence list` shows it (vid_…)."
    )


class Result(BaseModel):
    """What an operation answers."""

    model_config = ConfigDict(frozen=True)
