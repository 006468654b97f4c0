"""Shots and scenes: the temporal structure of a video."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

__all__ = ["Segment", "Transition"]

Transition = Literal["start", "cut", "fade", "dissolve"]


class Segment(BaseModel):
    """One shot or scene; ids count from seg_001 within a granularity and are stable for an index version."""

    model_config = ConfigDict(frozen=True)

    segment_id: str
    start_time: float
    end_time: float
    type: Literal["scene", "shot"]
    transition: Transition = "cut"
    """How the segment begins."""

    @property
    def duration_s(self) -> float:
        return self.end_time - self.start_time
