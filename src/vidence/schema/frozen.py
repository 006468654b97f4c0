"""The base of every value that never changes once it is made."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict

__all__ = ["Frozen", "TextResponse"]


class Frozen(BaseModel):
    """A value that is compared and hashed by what it holds."""

    model_config = ConfigDict(frozen=True)


class TextResponse(Frozen):
    """A reply that a model writes as text in a fixed form, not as JSON."""

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read the reply; ValueError says what is wrong with it."""
        raise NotImplementedError
