"""Windows of samples made from thumbnails shown at a steady rate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vidence.index.shots.sample import Sample, SampleWindow
from vidence.index.thumbnails import Thumb

__all__ = ["FPS", "mixed", "window_of"]

FPS = 25.0


def window_of(thumbs: Sequence[Thumb], *, fps: float = FPS) -> SampleWindow:
    """Return a window with one sample for each thumbnail."""
    window = SampleWindow()
    previous: Sample | None = None
    for index, thumb in enumerate(thumbs):
        previous = Sample.take(thumb, time=index / fps, previous=previous)
        window.append(previous)
    return window


def mixed(old: Thumb, new: Thumb, share: float) -> Thumb:
    """Return a mixture of two pictures: `share` of the newer one."""
    return np.asarray(np.round((1 - share) * old + share * new.astype(np.float64)), np.uint8)
