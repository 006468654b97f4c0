"""When each frame of a video stream is shown: from the container's index, and for decoded frames."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

__all__ = ["Clock", "PacketLog", "Timeline", "index_timeline"]

Ticks = NDArray[np.int64]

_FEW_FRAMES = 10
_HOLE_FRAMES, _HOLE_S = 4, 0.2
"""A gap of so many frames and seconds is a hole."""

_NO_TICKS: Ticks = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Timeline:
    """The display times of a stream's frames, in ticks of its time base."""

    time_base: Fraction
    start: int
    """Tick of the first displayed frame."""
    end: int
    """Tick at which the last frame stops being shown."""
    count: int
    step: int | None = None
    """Constant spacing of the frames, when it is constant."""
    ticks: Ticks = field(default_factory=lambda: _NO_TICKS, repr=False)
    """Display time of every frame, sorted; empty when `step` says it all."""
    keyframes: Ticks = field(default_factory=lambda: _NO_TICKS, repr=False)
    """Where decoding can begin, sorted; empty when unknown."""
    steady: bool = True
    """False when timestamps are missing or jump back, so seeking by them is unreliable."""

    @property
    def duration(self) -> Fraction:
        return (self.end - self.start) * self.time_base

    @property
    def variable(self) -> bool:
        """Whether frames are spaced unevenly beyond what rounding to ticks explains."""
        if self.step is not None or len(self.ticks) < 3:
            return False
        gaps = np.diff(self.ticks)
        usual = float(np.median(gaps))
        odd = int(np.count_nonzero(np.abs(gaps - usual) > max(1.5, usual * 0.1)))
        return odd > max(1, len(gaps) // 200)

    @property
    def usual_fps(self) -> Fraction | None:
        """The rate at which most frames follow one another; None when that is not known."""
        usual = int(np.median(np.diff(self.ticks))) if len(self.ticks) >= 3 else 0
        return 1 / (usual * self.time_base) if usual > 0 else None

    @property
    def holes(self) -> list[tuple[float, float]]:
        """Stretches without frames, in video time, where frames otherwise follow evenly."""
        if self.step is not None or len(self.ticks) < _FEW_FRAMES:
            return []
        gaps = np.diff(self.ticks)
        usual = float(np.median(gaps))
        wide = np.flatnonzero(gaps > max(_HOLE_FRAMES * usual, _HOLE_S / float(self.time_base)))
        uneven = np.count_nonzero(np.abs(gaps - usual) > max(1.5, usual * 0.1)) - len(wide)
        if uneven > len(gaps) // 20:
            return []
        return [
            (
                float((int(self.ticks[place]) - self.start + usual) * self.time_base),
                float((int(self.ticks[place + 1]) - self.start) * self.time_base),
            )
            for place in wide
        ]

    def index_of(self, tick: int) -> int:
        """Return the place in display order of the frame shown from `tick` on."""
        if self.step is not None:
            return max(0, round(Fraction(tick - self.start, self.step)))
        return max(0, int(np.searchsorted(self.ticks, tick, side="right")) - 1)

    def keyframe_before(self, tick: int) -> int | None:
        """Return the last known keyframe at or before `tick`."""
        place = int(np.searchsorted(self.keyframes, tick, side="right")) - 1
        return int(self.keyframes[place]) if place >= 0 else None


def index_timeline(
    stream: VideoStream, size_bytes: int, start: int, reordered: bool
) -> tuple[Timeline, int] | None:
    """Read the timeline from the container's own index, and how many frames lie beyond the file's end.

    None when the index is absent, partial, edited, or cannot tell display times (`reordered` frames of uneven
    spacing): then the packets must be read.
    """
    entries = stream.index_entries
    if not stream.frames or len(entries) != stream.frames or stream.time_base is None:
        return None
    rows = [(e.timestamp, e.pos + e.size, e.is_keyframe, e.is_discard) for e in entries]
    if any(discarded for *_, discarded in rows):
        return None
    kept = [row for row in rows if row[1] <= size_bytes]
    ticks = np.array([row[0] for row in kept], dtype=np.int64)
    gaps = np.diff(ticks)
    if not len(gaps) or gaps.min() <= 0:
        return None
    keyframes = np.array([row[0] for row in kept if row[2]], dtype=np.int64)
    step = int(gaps[0]) if gaps.min() == gaps.max() else None
    if step is None and reordered:
        return None
    usual = step or int(np.median(gaps))
    end = int(ticks[-1]) - int(ticks[0]) + start + usual
    cut = len(rows) - len(kept)
    if not cut and stream.duration and abs(start + stream.duration - end) * stream.time_base < 10:
        end = max(end, start + stream.duration)
    shown = _NO_TICKS if step else ticks - ticks[0] + start
    return Timeline(stream.time_base, start, end, len(kept), step, shown, keyframes), cut


class PacketLog:
    """Collects the timestamps of packets as they go by, and makes a timeline of them."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, int, bool]] = []
        self._last_dts: int | None = None
        self._steady = True
        self.first_bytes: int | None = None
        """Where in the file the first packet lies; None when the container does not say."""
        self.end_bytes = 0
        """Where in the file the last packet ends; 0 when the container does not say."""

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def first_tick(self) -> int | None:
        """The earliest time of a packet so far; None when timestamps are missing."""
        return min(row[0] for row in self._rows) if self._rows and self._steady else None

    def add(self, packet: Packet[VideoStream], codec: str) -> None:
        """Note one packet, unless it is never shown."""
        if packet.pos is not None and packet.pos >= 0:
            self.first_bytes = packet.pos if self.first_bytes is None else self.first_bytes
            self.end_bytes = max(self.end_bytes, packet.pos + packet.size)
        if packet.size == 0 or packet.is_discard or (codec == "vp8" and not _vp8_shown(packet)):
            return
        if packet.dts is not None:
            one_second = int(1 / packet.time_base)
            if self._last_dts is not None and packet.dts < self._last_dts - one_second:
                self._steady = False
            self._last_dts = packet.dts
        if packet.pts is None:
            self._steady = False
        pts = packet.pts if packet.pts is not None else packet.dts
        self._rows.append((pts or 0, packet.duration or 0, packet.is_keyframe))

    def timeline(self, time_base: Fraction, start: int, frame_ticks: Fraction) -> Timeline:
        """Return the timeline of the packets from the first displayed frame on."""
        rows = sorted(row for row in self._rows if row[0] >= start) if self._steady else self._rows
        count = max(1, len(rows))
        if not self._steady or not rows:
            end = start + max(1, round(count * frame_ticks))
            return Timeline(time_base, start, end, count, steady=self._steady)
        ticks = _array(row[0] for row in rows)
        gaps = np.diff(ticks)
        usual = int(np.median(gaps)) if len(gaps) else round(frame_ticks)
        end = int(ticks[-1]) + max(1, rows[-1][1] or usual)
        keyframes = _array(row[0] for row in rows if row[2])
        step = int(gaps[0]) if len(gaps) and gaps.min() == gaps.max() and gaps[0] > 0 else None
        return Timeline(time_base, start, end, count, step, _NO_TICKS if step else ticks, keyframes)


def _array(ticks: Iterable[int]) -> Ticks:
    return np.fromiter(ticks, dtype=np.int64)


def _vp8_shown(packet: Packet[VideoStream]) -> bool:
    # VP8 keeps invisible reference frames in packets of their own; bit 4 of the header says "show".
    return bool(memoryview(packet)[0] & 0x10)


class Clock:
    """Gives each decoded frame its time and its index, estimated where timestamps are absurd; both grow."""

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
        # One tick later keeps the order after a stray timestamp until true ones catch up.
        return tick if last is None else max(tick, last + 1)
