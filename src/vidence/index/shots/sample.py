"""The samples shot detection works on: one per picture, in a sliding window."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.index.thumbnails import Thumb, is_alike, mismatch, spread

__all__ = ["BLANK_PARAMETERS", "Sample", "SampleWindow", "ShotChange"]

_BLANK_LEVEL = 7
_BLANK_SHARE = 0.05

BLANK_PARAMETERS = (_BLANK_LEVEL, _BLANK_SHARE)

_TINY = (32, 18)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One picture: its time, its thumbnail, and its difference from the one before."""

    time: float
    thumb: Thumb
    change: float
    blank: bool
    tiny: NDArray[np.uint8]  # (18, 32, 3), for blending tests
    since: Thumb | None
    """The picture before, from which `change` was measured."""

    @classmethod
    def take(cls, thumb: Thumb, *, time: float, previous: Sample | None = None) -> Sample:
        """Measure a picture against the one before it."""
        tiny = np.asarray(cv2.resize(thumb, _TINY, interpolation=cv2.INTER_AREA), np.uint8)
        since = None if previous is None else previous.thumb
        return cls(time, thumb, _change(thumb, since), _is_blank(thumb), tiny, since)

    def after(self, previous: Sample | None) -> Sample:
        """Return the same picture, measured against `previous`."""
        since = None if previous is None else previous.thumb
        return self if since is self.since else replace(self, change=_change(self.thumb, since), since=since)

    @property
    def small(self) -> NDArray[np.float32]:
        """The tiny picture as floating-point numbers."""
        return self.tiny.astype(np.float32)

    @property
    def spread(self) -> float:
        """How far the pixels spread around their mean."""
        return spread(self.thumb)

    @property
    def light(self) -> float:
        return float(self.small.mean())


def _change(thumb: Thumb, since: Thumb | None) -> float:
    return 0.0 if since is None else cv2.norm(thumb, since, cv2.NORM_L1) / thumb.size


def _is_blank(thumb: Thumb) -> bool:
    """Tell whether a picture has one colour only, except for a watermark or a little text."""
    red, green, blue, _ = cv2.mean(thumb)
    lowest = (red - _BLANK_LEVEL, green - _BLANK_LEVEL, blue - _BLANK_LEVEL)
    highest = (red + _BLANK_LEVEL, green + _BLANK_LEVEL, blue + _BLANK_LEVEL)
    plain = cv2.inRange(thumb, lowest, highest)
    return cv2.countNonZero(plain) > (1 - _BLANK_SHARE) * plain.size


@dataclass(frozen=True, slots=True)
class ShotChange:
    """A shot change: when the new shot starts, over what span, of which kind, and how strong it is."""

    time: float
    kind: str
    start: float
    end: float
    strength: float


class SampleWindow:
    """The latest samples in order of time; the mismatch of neighbours is computed once, on demand."""

    def __init__(self) -> None:
        self.samples: list[Sample] = []
        self._times: list[float] = []
        self._steps: dict[int, float] = {}
        self._dropped = 0

    def append(self, sample: Sample) -> None:
        self.samples.append(sample)
        self._times.append(sample.time)

    def forget(self, count: int) -> None:
        """Drop the `count` oldest samples."""
        if not count:
            return
        del self.samples[:count], self._times[:count]
        self._dropped += count
        if self._steps:
            self._steps = {key: value for key, value in self._steps.items() if key >= self._dropped}

    def index_at(self, time: float) -> int:
        """Return the first sample at or after `time`, or the count of samples."""
        return bisect_left(self._times, time - 1e-6)

    def step(self, index: int) -> float:
        """Return the mismatch between a sample and the one before it."""
        key = index + self._dropped
        if key not in self._steps:
            self._steps[key] = self.pair(index - 1, index)
        return self._steps[key]

    def is_small_step(self, index: int, limit: float) -> bool:
        """Tell whether the mismatch between a sample and the one before it is below `limit`."""
        known = self._steps.get(index + self._dropped)
        return self.is_alike(index - 1, index, limit) if known is None else known < limit

    def pair(self, older: int, newer: int) -> float:
        """Return the mismatch between any two samples."""
        return mismatch(self.samples[older].thumb, self.samples[newer].thumb)

    def is_alike(self, older: int, newer: int, limit: float) -> bool:
        """Tell whether the mismatch between two samples is below `limit`, for less work."""
        return is_alike(self.samples[older].thumb, self.samples[newer].thumb, limit)
