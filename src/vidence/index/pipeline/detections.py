"""A cache of detections by frame: lanes that need the same frame run the detector once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from vidence.models.protocols import Detector, quick_detector
from vidence.models.vision.tiles import SquaresDetector
from vidence.schema.perception import Detection, Rgb

__all__ = ["DetectionCache"]

_CAPACITY = 256
"""Frames kept: more than may wait in the queue of the slowest lane."""


class _Entry:
    """One frame; the lock makes a second lane wait for the first one's result."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.found: list[Detection] | None = None


class DetectionCache:
    """Detects objects in the frames of one pass, each frame at most once.

    Args:
        detector: returns the detector; called when the first frame needs it.
        small_objects: also detect in square tiles, and with the full-precision model.
    """

    def __init__(self, detector: Callable[[], Detector], *, small_objects: bool = False) -> None:
        self._detector, self._small_objects = detector, small_objects
        self._lock = Lock()
        self._entries: OrderedDict[int, _Entry] = OrderedDict()

    def detect(self, index: int, image: Rgb) -> list[Detection]:
        """Return the objects of frame `index`; every lane must pass it at the same size."""
        with self._lock:
            entry = self._entries.setdefault(index, _Entry())
            if len(self._entries) > _CAPACITY:
                self._entries.popitem(last=False)
        with entry.lock:
            if entry.found is None:
                entry.found = self._run(image)
            return entry.found

    def detect_closely(self, index: int, image: Rgb) -> list[Detection]:
        """Return the objects of the frame and of its square tiles, which finds thin objects."""
        found = self.detect(index, image)
        if self._small_objects:
            return found
        return SquaresDetector(quick_detector(self._detector())).complete(image, found)

    def _run(self, image: Rgb) -> list[Detection]:
        detector = self._detector()
        if self._small_objects:
            return SquaresDetector(detector).detect([image])[0]
        return quick_detector(detector).detect([image])[0]
