"""Shot signatures: the colours and layout of a few pictures of each shot."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.index.thumbnails import THUMB, Thumb

__all__ = ["COLOURS", "LAYOUT_SHAPE", "ShotSignature", "SignatureFrame", "SignatureLog", "likeness"]

Features = tuple[NDArray[np.float32], NDArray[np.uint8]]
"""Colour histogram and layout of a picture."""

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
    """The features of a few pictures of a shot, oldest first."""

    times: tuple[float, ...]
    colours: NDArray[np.float32]  # (n, 128) histograms over hue, saturation and value, each adding to 1
    layouts: NDArray[np.uint8]  # (n, 9, 16, 3) RGB

    @cached_property
    def normal(self) -> NDArray[np.float32]:
        """The layouts as unit vectors without their light and contrast: (n, 432)."""
        flat = self.layouts.reshape(len(self.layouts), -1).astype(np.float32)
        flat -= flat.mean(axis=1, keepdims=True)
        return np.asarray(flat / (np.linalg.norm(flat, axis=1, keepdims=True) + 1e-3), dtype=np.float32)


def likeness(a: ShotSignature, b: ShotSignature) -> float:
    """Return how alike two shots are at their most alike pictures, from 0 to 1 (the same picture)."""
    shared = np.minimum(a.colours[:, None], b.colours[None]).sum(axis=2)
    alike = np.clip(a.normal @ b.normal.T, 0, 1)
    return float((0.5 * shared + 0.5 * alike).max())


class SignatureFrame:
    """One picture of a shot: its time and its features, computed when first needed."""

    __slots__ = ("_features", "_thumb", "time")

    def __init__(self, time: float, thumb: Thumb | None = None, features: Features | None = None) -> None:
        self.time, self._thumb, self._features = time, thumb, features

    @property
    def features(self) -> Features:
        """Colours and layout; the larger thumbnail is released."""
        if self._features is None:
            assert self._thumb is not None, "a frame is made from a thumbnail or from its features"
            layout = cv2.resize(self._thumb, _LAYOUT, interpolation=cv2.INTER_AREA).astype(np.uint8)
            self._features, self._thumb = (_histogram(self._thumb), layout), None
        return self._features


class SignatureLog:
    """Keeps pictures evenly over each part between possible boundaries, in bounded memory.

    Args:
        closed: pictures of the parts that have ended, from an earlier run.
        opened: pictures of the current part, with the `spacing_s` they are kept at.
    """

    def __init__(
        self,
        closed: Sequence[SignatureFrame] = (),
        opened: Sequence[SignatureFrame] = (),
        *,
        spacing_s: float = _FIRST_SPACING_S,
    ) -> None:
        self.closed, self.opened, self.spacing_s = list(closed), list(opened), spacing_s

    def add(self, time: float, thumb: Thumb) -> None:
        """Offer a picture; it is kept if the last one kept is long enough ago."""
        if self.opened and time - self.opened[-1].time < self.spacing_s:
            return
        self.opened.append(SignatureFrame(time, thumb))
        if len(self.opened) >= _KEPT_OPEN:
            self.opened = self.opened[::2]
            self.spacing_s *= 2

    def split(self, time: float) -> None:
        """Mark a possible boundary at `time`: the pictures before it are thinned and closed."""
        place = bisect_left(self.opened, time, key=_time)
        self.closed += _thin(self.opened[:place])
        self.opened = self.opened[place:]
        self.spacing_s = _FIRST_SPACING_S

    def between(self, start: float, end: float) -> ShotSignature:
        """Return the signature of the shot from `start` to `end`."""
        frames = [*self.closed, *self.opened]
        first, last = bisect_left(frames, start, key=_time), bisect_left(frames, end, key=_time)
        # A shot too short to have been sampled takes the nearest picture; an empty video, black.
        near = frames[max(0, first - 1) : first + 1] or [SignatureFrame(start, _BLACK)]
        nearest = min(near, key=lambda frame: abs(frame.time - start))
        return _describe(_thin(frames[first:last] or [nearest]))


def _time(frame: SignatureFrame) -> float:
    return frame.time


def _thin(frames: Sequence[SignatureFrame]) -> list[SignatureFrame]:
    if len(frames) <= _PER_SHOT:
        return list(frames)
    picks = np.linspace(0, len(frames) - 1, _PER_SHOT).round().astype(int)
    return [frames[pick] for pick in picks]


def _describe(frames: Sequence[SignatureFrame]) -> ShotSignature:
    features = [frame.features for frame in frames]
    return ShotSignature(
        tuple(frame.time for frame in frames),
        np.stack([colours for colours, _ in features]),
        np.stack([layout for _, layout in features]),
    )


def _histogram(thumb: Thumb) -> NDArray[np.float32]:
    hsv = cv2.cvtColor(thumb, cv2.COLOR_RGB2HSV)
    counts = cv2.calcHist([hsv], [0, 1, 2], None, list(_BINS), [0, 180, 0, 256, 0, 256])
    return np.asarray(counts.ravel() / max(1.0, float(counts.sum())), dtype=np.float32)
