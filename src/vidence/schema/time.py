"""Times and spans, in seconds from the first displayed frame of a video."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

__all__ = ["Seconds", "TimeRange", "format_timecode", "parse_timecode"]


def _no_truth(value: object) -> object:
    # To Pydantic true is 1.0, which would be a time nobody asked for.
    if isinstance(value, bool):
        raise ValueError(f"{str(value).lower()} is not a time; give a number of seconds")
    return value


Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False), BeforeValidator(_no_truth)]

_MOMENT_S = 0.001
_TIMECODE = re.compile(r"(?:(?:(\d+):)?(\d{1,2}):)?(\d+(?:\.\d+)?)s?")


class TimeRange(BaseModel):
    """A span of a video, `start_time` ≤ t < `end_time`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    start_time: Seconds = Field(description="Start of the span, in seconds from the beginning of the video.")
    end_time: Seconds = Field(description="End of the span, in seconds; must be after start_time.")

    @model_validator(mode="after")
    def _forwards(self) -> TimeRange:
        if self.end_time <= self.start_time:
            raise ValueError(f"end_time ({self.end_time:g}) must be after start_time ({self.start_time:g})")
        return self

    @classmethod
    def moment(cls, time_s: float) -> TimeRange:
        """Return the shortest span that holds `time_s`, for records about a single frame."""
        return cls(start_time=time_s, end_time=time_s + _MOMENT_S)

    @property
    def duration_s(self) -> float:
        return self.end_time - self.start_time

    def overlap_s(self, other: TimeRange) -> float:
        """Return how many seconds the two spans share."""
        return max(0.0, min(self.end_time, other.end_time) - max(self.start_time, other.start_time))


def parse_timecode(text: str) -> float:
    """Return the seconds meant by `75`, `75.5s`, `1:15`, `01:15.5` or `1:02:03`."""
    match = _TIMECODE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a time: write seconds (75.5) or a timecode (1:15.5, 1:02:03)")
    hours, minutes, seconds = match.groups()
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds)


def format_timecode(seconds: float) -> str:
    """Write seconds as `MM:SS.mmm`, or `H:MM:SS.mmm` from an hour on."""
    millis = round(max(0.0, seconds) * 1000)
    hours, rest = divmod(millis, 3_600_000)
    minutes, rest = divmod(rest, 60_000)
    tail = f"{minutes:02d}:{rest // 1000:02d}.{rest % 1000:03d}"
    return f"{hours}:{tail}" if hours else tail
