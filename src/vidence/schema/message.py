"""What is said to and by a language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from vidence.errors import UserError
from vidence.schema.frozen import Frozen

__all__ = ["EncodedPicture", "ImageFormat", "Message", "Role", "Usage"]

Role = Literal["system", "user", "assistant"]
ImageFormat = Literal["image/jpeg", "image/png", "image/webp"]
_FORMATS: tuple[tuple[bytes, ImageFormat], ...] = (
    (b"\xff\xd8", "image/jpeg"),
    (b"\x89PNG", "image/png"),
    (b"RIFF", "image/webp"),
)


class EncodedPicture(BaseModel):
    """An encoded image that goes with a message."""

    model_config = ConfigDict(frozen=True, ser_json_bytes="base64", val_json_bytes="base64")

    data: bytes
    format: ImageFormat = "image/jpeg"

    @classmethod
    def from_bytes(cls, data: bytes, *, name: str = "These bytes") -> EncodedPicture:
        """Return an encoded image with its format, which its first bytes tell."""
        for start, kind in _FORMATS:
            if data.startswith(start):
                return cls(data=data, format=kind)
        raise UserError(f"{name} is not a picture vidence can show: use JPEG, PNG or WebP.")


class Message(Frozen):
    """One turn of a conversation."""

    role: Role
    text: str
    pictures: tuple[EncodedPicture, ...] = ()


class Usage(Frozen):
    """What one call, or many together, took."""

    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = None
    """The price; None where it is not known."""

    @property
    def total_tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            usd=_sum_usd([one.usd for one in (self, other) if one.total_tokens]),
        )


def _sum_usd(prices: Sequence[float | None]) -> float | None:
    """Return the sum; one price that is not known makes it unknown."""
    known = [price for price in prices if price is not None]
    return sum(known) if known and len(known) == len(prices) else None
