"""Timestamps that a few frames of sound have and their neighbours deny: damage, not a gap."""

from __future__ import annotations

from collections.abc import Iterator

from av.audio.frame import AudioFrame

__all__ = ["without_strays"]

_JUMP_S = 1.0
_NEAR_S = 0.05
_HELD = 48
"""Frames, about a second, within which the old clock must go on if the jump was damage."""


def without_strays(frames: Iterator[AudioFrame]) -> Iterator[AudioFrame]:
    """Yield the frames; those whose clock leaps away and soon comes back lose their timestamps.

    One wrong bit in a timestamp would else put seconds of silence before all the sound that follows.
    """
    held: list[AudioFrame] = []
    clock: float | None = None
    for frame in frames:
        stamp = frame.time
        if held:
            held.append(frame)
            if stamp is not None and clock is not None and abs(stamp - clock) <= _NEAR_S:
                for stray in held[:-1]:
                    stray.pts = None
            elif len(held) < _HELD:
                clock = None if clock is None else clock + _length(frame)
                continue
            else:
                clock = stamp
            yield from held
            held = []
        elif stamp is not None and clock is not None and abs(stamp - clock) > _JUMP_S:
            held.append(frame)
            clock += _length(frame)
            continue
        else:
            yield frame
            clock = stamp if stamp is not None else clock
        clock = None if clock is None else clock + _length(frame)
    yield from held


def _length(frame: AudioFrame) -> float:
    return frame.samples / frame.sample_rate if frame.sample_rate > 0 else 0.0
