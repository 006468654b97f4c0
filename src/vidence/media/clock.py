"""Times for decoded frames: exact from their timestamps, estimated where those are missing or absurd."""

from __future__ import annotations

from fractions import Fraction

from av.video.frame import VideoFrame

from vidence.media.timeline import Timeline

__all__ = ["Clock"]


class Clock:
    """Gives each frame of one decoding run its time and its place; both only ever grow."""

    def __init__(self, timeline: Timeline, fps: Fraction) -> None:
        self._timeline = timeline
        self._frame_ticks = max(1, round(1 / (fps * timeline.time_base)))
        # The last frame may begin late when its packet's duration was missing.
        self._latest = timeline.end + max(self._frame_ticks, round(1 / timeline.time_base))
        self._last_tick: int | None = None
        self._last_index = -1

    def read(self, frame: VideoFrame) -> tuple[int, Fraction] | None:
        """Return the frame's index and time, or None when it comes before the first one displayed."""
        tick = self._tick(frame)
        if tick < self._timeline.start:
            return None
        index = self._last_index + 1
        if self._timeline.steady:
            index = max(index, self._timeline.index_of(tick))
        self._last_tick, self._last_index = tick, index
        return index, (tick - self._timeline.start) * self._timeline.time_base

    def _tick(self, frame: VideoFrame) -> int:
        last = self._last_tick
        if not self._timeline.steady:
            return self._timeline.start if last is None else last + self._frame_ticks
        tick = frame.pts if frame.pts is not None else frame.dts
        if tick is None or tick > self._latest:
            return self._timeline.start if last is None else last + self._frame_ticks
        # One tick on keeps order after a stray timestamp, and true ones catch up.
        return tick if last is None else max(tick, last + 1)
