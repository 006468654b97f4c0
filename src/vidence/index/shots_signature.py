"""A compact look of each shot: colours and layout of a few of its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.index.motion import THUMB, Thumb

__all__ = ["ShotSignature", "SignatureLog", "likeness"]

_PER_SHOT = 5
_KEPT_OPEN = 32
_FIRST_SPACING_S = 0.2
_BINS = (8, 4, 4)
_LAYOUT = (16, 9)
_BLACK: Thumb = np.zeros((THUMB[1], THUMB[0], 3), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class ShotSignature:
    """What a shot looks like at a few moments, oldest first."""

    times: tuple[float, ...]
    colours: NDArray[np.float32]  # (n, 128) histograms over hue, saturation and value, each adding to 1
    layouts: NDArray[np.uint8]  # (n, 9, 16, 3) RGB


def likeness(a: ShotSignature, b: ShotSignature) -> float:
    """Return how alike two shots look at their most alike moments: 0 not at all, 1 the same picture."""
    shared = np.minimum(a.colours[:, None], b.colours[None]).sum(axis=2)
    layout_a, layout_b = _normal(a.layouts), _normal(b.layouts)
    alike = np.clip(layout_a @ layout_b.T, 0, 1)
    return float((0.5 * shared + 0.5 * alike).max())


def _normal(layouts: NDArray[np.uint8]) -> NDArray[np.float32]:
    flat = layouts.reshape(len(layouts), -1).astype(np.float32)
    flat -= flat.mean(axis=1, keepdims=True)
    return np.asarray(flat / (np.linalg.norm(flat, axis=1, keepdims=True) + 1e-3), dtype=np.float32)


class SignatureLog:
    """Keeps thumbnails evenly over each stretch between possible boundaries, in bounded memory."""

    def __init__(self) -> None:
        self._closed: list[tuple[float, Thumb]] = []
        self._open: list[tuple[float, Thumb]] = []
        self._spacing_s = _FIRST_SPACING_S

    def add(self, time: float, thumb: Thumb) -> None:
        """Offer a picture; it is kept if the last one kept is long enough ago."""
        if self._open and time - self._open[-1][0] < self._spacing_s:
            return
        self._open.append((time, thumb))
        if len(self._open) >= _KEPT_OPEN:
            self._open = self._open[::2]
            self._spacing_s *= 2

    def split(self, time: float) -> None:
        """Note that a shot may begin at `time`: what lies before is thinned and put away."""
        before = [entry for entry in self._open if entry[0] < time]
        self._closed += _thin(before)
        self._open = self._open[len(before) :]
        self._spacing_s = _FIRST_SPACING_S

    def between(self, start: float, end: float) -> ShotSignature:
        """Return the signature of the shot from `start` to `end`."""
        entries = [*self._closed, *self._open]
        inside = [entry for entry in entries if start <= entry[0] < end]
        # A shot too short to have been sampled looks like what is nearest in time; no video at all, black.
        nearest = min(entries, key=lambda entry: abs(entry[0] - start), default=(start, _BLACK))
        return _describe(_thin(inside or [nearest]))


def _thin(entries: Sequence[tuple[float, Thumb]]) -> list[tuple[float, Thumb]]:
    if len(entries) <= _PER_SHOT:
        return list(entries)
    picks = np.linspace(0, len(entries) - 1, _PER_SHOT).round().astype(int)
    return [entries[pick] for pick in picks]


def _describe(entries: Sequence[tuple[float, Thumb]]) -> ShotSignature:
    colours = np.stack([_histogram(thumb) for _, thumb in entries])
    layouts = np.stack([cv2.resize(thumb, _LAYOUT, interpolation=cv2.INTER_AREA) for _, thumb in entries])
    return ShotSignature(tuple(time for time, _ in entries), colours, layouts.astype(np.uint8))


def _histogram(thumb: Thumb) -> NDArray[np.float32]:
    hsv = cv2.cvtColor(thumb, cv2.COLOR_RGB2HSV)
    counts = cv2.calcHist([hsv], [0, 1, 2], None, list(_BINS), [0, 180, 0, 256, 0, 256])
    return np.asarray(counts.ravel() / max(1.0, float(counts.sum())), dtype=np.float32)
