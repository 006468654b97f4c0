"""When to look again: often where things move fast for their size, seldom where nothing does."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vidence.index.pipeline.look import Sameness

__all__ = ["Pace"]

_EARLY_S = 0.002
_STRIDE = 0.25
"""A thing should move no further than this share of its width between two looks."""
_LEISURE = 0.8
_LATER, _SOONEST = 0.15, 0.8
"""How far a look may be moved, as shares of the wait."""


class Pace:
    """Chooses the frames to detect in, between a slow and a fast rate.

    Args:
        meet_s: others look at every multiple of this; a look due at about the same time is taken together
            with theirs, for one detection serves both.
    """

    GRAY_SIZE = Sameness.SIZE

    def __init__(self, *, fast_s: float, slow_s: float, meet_s: float, start_s: float = 0.0) -> None:
        self._fast_s, self._slow_s, self._meet_s = fast_s, slow_s, meet_s
        self._sameness = Sameness()
        self._next_s = start_s
        self._wait_s = slow_s

    @property
    def has_leisure(self) -> bool:
        """Say whether looks are so far apart now that each may take longer."""
        return self._wait_s >= _LEISURE * self._slow_s

    def is_time(self, time_s: float) -> bool:
        """Say whether enough time has gone by to look again."""
        return time_s >= self._next_s - _EARLY_S

    def is_new(self, time_s: float, gray: NDArray[np.uint8]) -> bool:
        """Say whether the picture differs from the last one looked at; if not, wait a little."""
        if not self._sameness.is_twin(gray):
            return True
        self._next_s = time_s + self._fast_s
        return False

    def looked(self, time_s: float, *, top_speed: float, is_idle: bool) -> None:
        """Set the next look by how fast the fastest thing goes, in its own widths a second."""
        wanted_s = self._slow_s if is_idle else _STRIDE / max(top_speed, 1e-6)
        self._wait_s = min(max(wanted_s, self._fast_s), self._slow_s)
        self._next_s = self._met(time_s, time_s + self._wait_s)

    def _met(self, time_s: float, next_s: float) -> float:
        """Move a look to where others look: a good deal earlier or a little later."""
        latest_s = next_s + _LATER * self._wait_s
        shared_s = math.floor(latest_s / self._meet_s + 1e-9) * self._meet_s
        return shared_s if shared_s > time_s + _SOONEST * self._wait_s else next_s
