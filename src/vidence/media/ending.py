"""Find where a file really ends: check what it states against the pictures and the sound it holds."""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from av.container import InputContainer

from vidence.media.decode import Damage, only, read_packets, seek_sound
from vidence.media.source import open_source, reading
from vidence.media.timeline import Timeline

__all__ = ["Ending", "find_ending", "stated_end"]

# Sound may outlast the pictures by a moment; beyond that its packets are read.
_MOMENT_S = 0.25
# From this difference on a warning is given.
_WARN_S, _WARN_SHARE = 0.5, 0.05
_BACK_S = 2
_SCAN_LIMIT_S = 20.0


@dataclass(frozen=True, slots=True)
class Ending:
    """How long a file lasts, and what is odd about that."""

    duration_s: float
    warnings: tuple[str, ...] = ()


def stated_end(container: InputContainer, timeline: Timeline) -> float | None:
    """Return where the container says the file ends, in video time."""
    if container.duration is None or container.duration <= 0:
        return None
    length = Fraction(container.duration, 1_000_000)
    begin = Fraction(container.start_time or 0, 1_000_000)
    origin = timeline.start * timeline.time_base
    ends = {begin + length - origin}
    if "matroska" in container.format.name:
        # Some write the time of the end there, others the length; they differ in files that begin late.
        ends.add(length - origin)
    return float(min(ends, key=lambda end: abs(end - timeline.duration)))


def find_ending(path: Path, stated_s: float | None, timeline: Timeline, audio: int | None) -> Ending:
    """Decide how long a file lasts whose pictures and first sound stream (`audio`) are known.

    A partial download states the length of the whole file; then only the sound packets show where it ends.
    """
    shown_s = float(timeline.duration)
    if stated_s is None or stated_s <= shown_s:
        return Ending(shown_s, _doubts(stated_s, shown_s))
    if audio is None:
        end_s = shown_s
    elif stated_s - shown_s <= _MOMENT_S:
        return Ending(stated_s)
    else:
        heard_s = _sound_end(path, audio, timeline)
        end_s = shown_s if heard_s is None else min(stated_s, max(shown_s, heard_s))
    warn_s = max(_WARN_S, _WARN_SHARE * stated_s)
    if stated_s - end_s > warn_s:
        return Ending(end_s, (f"truncated: the file states {stated_s:.1f} s but ends at {end_s:.1f} s",))
    if end_s - shown_s > warn_s:
        return Ending(end_s, (f"its sound runs on to {end_s:.1f} s; its pictures end at {shown_s:.1f} s",))
    return Ending(end_s)


def _doubts(stated_s: float | None, shown_s: float) -> tuple[str, ...]:
    """Return a warning where the timestamps run far beyond the length that the file states."""
    if stated_s is None or shown_s - stated_s <= max(_WARN_S, _WARN_SHARE * shown_s):
        return ()
    return (f"its length is doubtful: it states {stated_s:.1f} s, its timestamps run to {shown_s:.1f} s",)


def _sound_end(path: Path, index: int, timeline: Timeline) -> float | None:
    """Return when the last sound packet ends, in video time; None when no timestamp is credible."""
    origin = timeline.start * timeline.time_base
    begin = origin + timeline.duration - _BACK_S
    end, length = begin, Fraction(0)
    deadline = time.monotonic() + _SCAN_LIMIT_S
    with open_source(path) as container, reading(path):
        stream = next((one for one in container.streams.audio if one.index == index), None)
        if stream is None or stream.time_base is None:
            return None
        only(container, stream)
        # Where seeking fails every packet is read, with the same result.
        seek_sound(container, stream, begin)
        for packet in read_packets(container, stream, Damage()):
            if packet.pts is None or time.monotonic() > deadline:
                continue
            stop = (packet.pts + (packet.duration or 0)) * packet.time_base
            if stop > begin:
                end, length = max(end, stop), length + (packet.duration or 0) * packet.time_base
    # Timestamps far beyond the sound that was found are broken.
    return float(end - origin) if end - begin <= 2 * length + 60 else None
