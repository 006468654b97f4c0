"""A compact look of each shot: colours and layout of a few of its pictures."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.index.motion import THUMB, Thumb

__all__ = ["COLOURS", "LAYOUT_SHAPE", "Moment", "ShotSignature", "SignatureLog", "likeness"]

Look = tuple[NDArray[np.float32], NDArray[np.uint8]]

_PER_SHOT = 5
_KEPT_OPEN = 32
_FIRST_SPACING_S = 0.2
_BINS = (8, 4, 4)
_LAYOUT = (16, 9)
COLOURS = 128
LAYOUT_SHAPE = (9, 16, 3)
_BLACK: Thumb = np.zeros((THUMB[1], THUMB[0], 3), np.uint8)


@dataclass(frozen=True, eq=False)
class ShotSignature:
    """What a shot looks like at a few moments, oldest first."""

    times: tuple[float, ...]
    colours: NDArray[np.float32]  # (n, 128) histograms over hue, saturation and value, each adding to 1
    layouts: NDArray[np.uint8]  # (n, 9, 16, 3) RGB

    @cached_property
    def normal(self) -> NDArray[np.float32]:
        """The layouts as directions: (n, 432), whatever their light and contrast."""
        flat = self.layouts.reshape(len(self.layouts), -1).astype(np.float32)
        flat -= flat.mean(axis=1, keepdims=True)
        return np.asarray(flat / (np.linalg.norm(flat, axis=1, keepdims=True) + 1e-3), dtype=np.float32)


def likeness(a: ShotSignature, b: ShotSignature) -> float:
    """Return how alike two shots look at their most alike moments: 0 not at all, 1 the same picture."""
    shared = np.minimum(a.colours[:, None], b.colours[None]).sum(axis=2)
    alike = np.clip(a.normal @ b.normal.T, 0, 1)
    return float((0.5 * shared + 0.5 * alike).max())


class Moment:
    """One picture of a shot: when it was shown and what it looks like, worked out when first asked for."""

    __slots__ = ("_look", "_thumb", "time")

    def __init__(self, time: float, thumb: Thumb | None = None, look: Look | None = None) -> None:
        self.time, self._thumb, self._look = time, thumb, look

    @property
    def look(self) -> Look:
        """Colours and layout; the larger thumbnail is let go of."""
        if self._look is None:
            assert self._thumb is not None, "a moment begins with a picture or with its look"
            layout = cv2.resize(self._thumb, _LAYOUT, interpolation=cv2.INTER_AREA).astype(np.uint8)
            self._look, self._thumb = (_histogram(self._thumb), layout), None
        return self._look


class SignatureLog:
    """Keeps moments evenly over each stretch between possible boundaries, in bounded memory.

    Args:
        closed: moments of stretches that are over, as an earlier run left them.
        opened: moments of the stretch under way, with the `spacing_s` they are kept at.
    """

    def __init__(
        self,
        closed: Sequence[Moment] = (),
        opened: Sequence[Moment] = (),
        *,
        spacing_s: float = _FIRST_SPACING_S,
    ) -> None:
        self.closed, self.opened, self.spacing_s = list(closed), list(opened), spacing_s

    def add(self, time: float, thumb: Thumb) -> None:
        """Offer a picture; it is kept if the last one kept is long enough ago."""
        if self.opened and time - self.opened[-1].time < self.spacing_s:
            return
        self.opened.append(Moment(time, thumb))
        if len(self.opened) >= _KEPT_OPEN:
            self.opened = self.opened[::2]
            self.spacing_s *= 2

    def split(self, time: float) -> None:
        """Note that a shot may begin at `time`: what lies before is thinned and put away for good."""
        place = bisect_left(self.opened, time, key=_time)
        self.closed += _thin(self.opened[:place])
        self.opened = self.opened[place:]
        self.spacing_s = _FIRST_SPACING_S

    def between(self, start: float, end: float) -> ShotSignature:
        """Return the signature of the shot from `start` to `end`."""
        moments = [*self.closed, *self.opened]
        first, last = bisect_left(moments, start, key=_time), bisect_left(moments, end, key=_time)
        # A shot too short to have been sampled looks like what is nearest in time; no video at all, black.
        near = moments[max(0, first - 1) : first + 1] or [Moment(start, _BLACK)]
        nearest = min(near, key=lambda moment: abs(moment.time - start))
        return _describe(_thin(moments[first:last] or [nearest]))


def _time(moment: Moment) -> float:
    return moment.time


def _thin(moments: Sequence[Moment]) -> list[Moment]:
    if len(moments) <= _PER_SHOT:
        return list(moments)
    picks = np.linspace(0, len(moments) - 1, _PER_SHOT).round().astype(int)
    return [moments[pick] for pick in picks]


def _describe(moments: Sequence[Moment]) -> ShotSignature:
    looks = [moment.look for moment in moments]
    return ShotSignature(
        tuple(moment.time for moment in moments),
        np.stack([colours for colours, _ in looks]),
        np.stack([layout for _, layout in looks]),
    )


def _histogram(thumb: Thumb) -> NDArray[np.float32]:
    hsv = cv2.cvtColor(thumb, cv2.COLOR_RGB2HSV)
    counts = cv2.calcHist([hsv], [0, 1, 2], None, list(_BINS), [0, 180, 0, 256, 0, 256])
    return np.asarray(counts.ravel() / max(1.0, float(counts.sum())), dtype=np.float32)
