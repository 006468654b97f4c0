"""What the detector says of the frames of one pass: lanes that look at the same frame ask it once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from vidence.models.protocols import Detector, quick_detector
from vidence.models.vision.squares import SquaresDetector
from vidence.schema.perception import Detection, Rgb

__all__ = ["Sights"]

_KEPT = 256
"""Frames remembered: more than may wait for the lane that is behind."""


class _Asked:
    """One frame; the lock makes a second lane wait for the first one's answer."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.found: list[Detection] | None = None


class Sights:
    """Answers by the frame's place in the video.

    Args:
        detector: returns the detector; asked for when there is something to look at.
        small_objects: look in squares too, and not in bytes.
    """

    def __init__(self, detector: Callable[[], Detector], *, small_objects: bool = False) -> None:
        self._detector, self._small_objects = detector, small_objects
        self._lock = Lock()
        self._asked: OrderedDict[int, _Asked] = OrderedDict()

    def detect(self, index: int, image: Rgb) -> list[Detection]:
        """Return the objects of frame `index`; every lane must bring it at the same size."""
        with self._lock:
            asked = self._asked.setdefault(index, _Asked())
            if len(self._asked) > _KEPT:
                self._asked.popitem(last=False)
        with asked.lock:
            if asked.found is None:
                asked.found = self._look(image)
            return asked.found

    def detect_closely(self, index: int, image: Rgb) -> list[Detection]:
        """Look in squares too, which finds thin things."""
        found = self.detect(index, image)
        if self._small_objects:
            return found
        return SquaresDetector(quick_detector(self._detector())).complete(image, found)

    def _look(self, image: Rgb) -> list[Detection]:
        detector = self._detector()
        if self._small_objects:
            return SquaresDetector(detector).detect([image])[0]
        return quick_detector(detector).detect([image])[0]
