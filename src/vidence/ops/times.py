"""Checking the times of a call against the video they speak of."""

from __future__ import annotations

from vidence.errors import OpRetry
from vidence.ops.context import OpContext
from vidence.schema.time import Seconds, TimeRange

__all__ = ["check_range", "check_span", "check_time", "moment"]

_SLACK_S = 0.05
"""A caller who rounded the duration up still means the end."""
_MOMENT_S = 0.001


def check_time(context: OpContext, video_id: str, time_s: Seconds, *, name: str = "timestamp") -> float:
    """Return the time inside the video, or say how long the video is."""
    duration_s = context.video(video_id).info.duration_s
    if not 0 <= time_s <= duration_s + _SLACK_S:
        raise OpRetry(
            f"{name} is {time_s:g}, outside the video, which runs from 0 to {duration_s:.3f} s. "
            "Give a time in that range."
        )
    return min(time_s, duration_s)


def check_span(context: OpContext, video_id: str, start_s: Seconds, end_s: Seconds) -> TimeRange:
    """Return the span inside the video, or say what is wrong with it."""
    start = check_time(context, video_id, start_s, name="start_time")
    end = check_time(context, video_id, end_s, name="end_time")
    if end_s <= start_s:
        raise OpRetry(f"end_time ({end_s:g}) must be after start_time ({start_s:g}).")
    if end <= start:
        duration_s = context.video(video_id).info.duration_s
        raise OpRetry(
            f"The span begins at the end of the video ({duration_s:.3f} s). Give an earlier start_time."
        )
    return TimeRange(start_time=start, end_time=end)


def check_range(context: OpContext, video_id: str, asked: TimeRange | None) -> TimeRange | None:
    """Return the span asked for, inside the video; None, which means all of it, stays None."""
    return None if asked is None else check_span(context, video_id, asked.start_time, asked.end_time)


def moment(time_s: float) -> TimeRange:
    """Return the shortest span that holds `time_s`, for records about a single frame."""
    return TimeRange(start_time=time_s, end_time=time_s + _MOMENT_S)
