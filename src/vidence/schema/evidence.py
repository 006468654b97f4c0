"""Provenance: what was asked of the video world and what it said."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from vidence.schema.time import TimeRange

__all__ = ["OpRecord"]


class OpRecord(BaseModel):
    """One run of one operation: enough to find its result again and to re-check it."""

    model_config = ConfigDict(frozen=True)

    record_id: str
    operation: str
    arguments: dict[str, Any]
    """Validated and complete: defaults filled in."""
    video_id: str | None
    span: TimeRange | None
    """The part of the video the result speaks about; None means all of it."""
    models: tuple[str, ...]
    """Ids of every model or algorithm whose output the result rests on."""
    index_version: str
    result_hash: str
    """sha256 of the result's canonical JSON."""
    started_at: float
    duration_s: float
    cached: bool
