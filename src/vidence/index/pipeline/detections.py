"""A cache of detections by frame: lanes that need the same frame run the detector once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from vidence.models.protocols import Detector, quick_detector
from vidence.models.vision.tiles import SquaresDetector, shows_small_things
from vidence.schema.perception import Detection, Rgb

__all__ = ["DetectionCache"]

_CAPACITY = 256
"""Frames kept: more than may wait in the queue of the slowest lane."""


class _Entry:
    """One frame; the lock makes a second lane wait for the first one's result."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.whole: list[Detection] | None = None
        self.close: list[Detection] | None = None


class DetectionCache:
    """Detects objects in the frames of one pass, each frame at most once.

    Every lane must pass a frame at the same size.

    Args:
        detector: returns the detector; called when the first frame needs it.
        small_objects: look closely at every frame, and with the full-precision model.
    """

    def __init__(self, detector: Callable[[], Detector], *, small_objects: bool = False) -> None:
        self._detector, self._small_objects = detector, small_objects
        self._lock = Lock()
        self._entries: OrderedDict[int, _Entry] = OrderedDict()

    def detect(self, index: int, image: Rgb) -> list[Detection]:
        """Return the objects of frame `index`."""
        entry = self._entry(index)
        with entry.lock:
            return self._close(entry, image) if self._small_objects else self._whole(entry, image)

    def detect_closely(self, index: int, image: Rgb) -> list[Detection]:
        """Return the objects of the frame and of its square tiles, which finds thin and small ones."""
        entry = self._entry(index)
        with entry.lock:
            return self._close(entry, image)

    def detect_as_needed(self, index: int, image: Rgb) -> list[Detection]:
        """Return the objects of the frame; look closely where it shows several small ones."""
        found = self.detect(index, image)
        return self.detect_closely(index, image) if shows_small_things(found) else found

    def _entry(self, index: int) -> _Entry:
        with self._lock:
            entry = self._entries.setdefault(index, _Entry())
            if len(self._entries) > _CAPACITY:
                self._entries.popitem(last=False)
            return entry

    def _whole(self, entry: _Entry, image: Rgb) -> list[Detection]:
        if entry.whole is None:
            entry.whole = self._model.detect([image])[0]
        return entry.whole

    def _close(self, entry: _Entry, image: Rgb) -> list[Detection]:
        if entry.close is None:
            entry.close = SquaresDetector(self._model).complete(image, self._whole(entry, image))
        return entry.close

    @property
    def _model(self) -> Detector:
        detector = self._detector()
        return detector if self._small_objects else quick_detector(detector)
