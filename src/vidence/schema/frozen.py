"""The base of every value that never changes once it is made."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

__all__ = ["Frozen"]


class Frozen(BaseModel):
    """A value that is compared and hashed by what it holds."""

    model_config = ConfigDict(frozen=True)
