"""What is said to and by a language model."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

__all__ = ["ImageFormat", "Message", "Picture", "Role", "Usage"]

Role = Literal["system", "user", "assistant"]
ImageFormat = Literal["image/jpeg", "image/png", "image/webp"]


class Picture(BaseModel):
    """An encoded image that goes with a message."""

    model_config = ConfigDict(frozen=True, ser_json_bytes="base64", val_json_bytes="base64")

    data: bytes
    format: ImageFormat = "image/jpeg"


class Message(BaseModel):
    """One turn of a conversation."""

    model_config = ConfigDict(frozen=True)

    role: Role
    text: str
    pictures: tuple[Picture, ...] = ()


class Usage(BaseModel):
    """What one call, or many together, took."""

    model_config = ConfigDict(frozen=True)

    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )
