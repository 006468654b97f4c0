"""What shot detection keeps of each picture, and the sliding window it is kept in."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.index.motion import Thumb, mismatch, spread

__all__ = ["BLANK_PARAMETERS", "Event", "Sample", "Window"]

_BLANK_LEVEL = 7
_BLANK_SHARE = 0.05

BLANK_PARAMETERS = (_BLANK_LEVEL, _BLANK_SHARE)

_SMALL = (32, 18)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One picture: its time, its thumbnail, and how far it stands from the one before."""

    time: float
    thumb: Thumb
    change: float
    spread: float
    light: float
    blank: bool
    small: NDArray[np.float32]  # (18, 32, 3), for blending tests

    @classmethod
    def take(cls, thumb: Thumb, *, time: float, previous: Sample | None) -> Sample:
        """Measure a picture against the one before it."""
        change = 0.0 if previous is None else float(np.mean(cv2.absdiff(thumb, previous.thumb)))
        small = cv2.resize(thumb, _SMALL, interpolation=cv2.INTER_AREA).astype(np.float32)
        return cls(time, thumb, change, spread(thumb), float(small.mean()), _is_blank(thumb), small)


def _is_blank(thumb: Thumb) -> bool:
    """Tell whether a picture is black, white or any one colour, but for a watermark or a little text."""
    mean = np.array(cv2.mean(thumb)[:3])
    plain = cv2.inRange(thumb, mean - _BLANK_LEVEL, mean + _BLANK_LEVEL)
    return cv2.countNonZero(plain) > (1 - _BLANK_SHARE) * plain.size


@dataclass(frozen=True, slots=True)
class Event:
    """A change of shot: when the new shot starts, over what span, how, and how sure we are."""

    time: float
    kind: str
    start: float
    end: float
    strength: float


@dataclass
class Window:
    """The latest samples in order of time, with the mismatch of neighbours worked out once and on demand."""

    samples: list[Sample] = field(default_factory=list)
    _steps: dict[int, float] = field(default_factory=dict)
    _dropped: int = 0

    def append(self, sample: Sample) -> None:
        self.samples.append(sample)

    def forget(self, count: int) -> None:
        """Drop the `count` oldest samples."""
        del self.samples[:count]
        self._dropped += count
        self._steps = {key: value for key, value in self._steps.items() if key >= self._dropped}

    def index_at(self, time: float) -> int:
        """Return the first sample at or after `time`, or the count of samples."""
        return bisect_left(self.samples, time - 1e-6, key=lambda sample: sample.time)

    def step(self, index: int) -> float:
        """Return the mismatch between a sample and the one before it."""
        key = index + self._dropped
        if key not in self._steps:
            self._steps[key] = self.pair(index - 1, index)
        return self._steps[key]

    def pair(self, older: int, newer: int) -> float:
        """Return the mismatch between any two samples."""
        return mismatch(self.samples[older].thumb, self.samples[newer].thumb)
