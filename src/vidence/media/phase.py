"""Two channels that are each other's opposite: everybody hears them, but mixed to one they are silence."""

from __future__ import annotations

from typing import cast

import numpy as np
from av.audio.frame import AudioFrame
from numpy.typing import NDArray

__all__ = ["in_phase"]

_OPPOSED = -0.95
"""Ordinary stereo, however wide, stays far above this."""


def in_phase(frame: AudioFrame) -> AudioFrame:
    """Return the frame, its second channel turned over where it is the opposite of the first."""
    if frame.layout.nb_channels != 2:
        return frame
    # Whole numbers come too, and are treated alike.
    samples = cast("NDArray[np.float32]", frame.to_ndarray())
    if samples.dtype.kind not in "fi":
        return frame
    left, right = samples if frame.format.is_planar else (samples[0, ::2], samples[0, 1::2])
    # One sample in eight tells as much, for less.
    first, second = (channel[::8].astype(np.float64) for channel in (left, right))
    scale = np.sqrt(first @ first) * np.sqrt(second @ second)
    if not scale or not first @ second < _OPPOSED * scale:
        return frame
    turned = samples.copy()
    place = turned[1] if frame.format.is_planar else turned[0, 1::2]
    lowest = np.iinfo(place.dtype).min + 1 if place.dtype.kind == "i" else -np.inf
    place[:] = -np.maximum(place, lowest)
    made = AudioFrame.from_ndarray(turned, format=frame.format.name, layout=frame.layout.name)
    made.sample_rate, made.pts = frame.sample_rate, frame.pts
    if frame.time_base is not None:
        made.time_base = frame.time_base
    return made
