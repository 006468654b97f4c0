"""One distinct frame and the models' results for it, and the filter that skips near-duplicate frames."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.models.shelf import ModelShelf
from vidence.models.vision.attributes import describe
from vidence.models.vision.colours import balance_white
from vidence.schema.perception import BodyPose, Detection, ImageLabels, Rgb

__all__ = ["FRAME_SIDE", "TEXT_SIDE", "AnalysedFrame", "NearDuplicateFilter"]

FRAME_SIDE = 960
"""Longest side of an analysed frame: small enough to hold a few."""
TEXT_SIDE = 1920
"""Longest side of a frame that is searched for text: small letters are gone at half the size."""

MAX_PEOPLE = 4
"""How many people of a frame get their pose estimated: the largest ones."""
_MIN_PERSON_HEIGHT = 0.12
_MIN_PERSON_SCORE = 0.4


class AnalysedFrame:
    """A frame and the results of the models for it, each computed once, when first needed.

    Args:
        detect: finds the objects; by default the detector itself.
        large: returns the frame at up to `TEXT_SIDE`, for reading text; by default the frame itself.
    """

    def __init__(
        self,
        time_s: float,
        image: Rgb,
        shelf: ModelShelf,
        *,
        detect: Callable[[Rgb], list[Detection]] | None = None,
        large: Callable[[], Rgb] | None = None,
    ) -> None:
        self.time_s = time_s
        self.image = image
        self._shelf, self._detect, self._large = shelf, detect, large

    @property
    def aspect(self) -> float:
        """Width over height."""
        height, width = self.image.shape[:2]
        return float(width / height)

    @property
    def large(self) -> Rgb:
        """The frame with its small letters; made anew each time, since it is big and used once."""
        return self._large() if self._large is not None else self.image

    @cached_property
    def balanced(self) -> Rgb:
        """The frame with its colour cast removed, for naming colours."""
        return balance_white(self.image)

    @cached_property
    def detections(self) -> list[Detection]:
        """The objects in the frame."""
        return self._detect(self.image) if self._detect else self._shelf.detector.detect([self.image])[0]

    def attributes(self, index: int) -> dict[str, str]:
        """Return the attributes of one of the `detections`, measured from its pixels."""
        found = self.detections[index]
        return dict(describe(self.image, found, pose=self.poses.get(index), balanced=self.balanced))

    @cached_property
    def poses(self) -> dict[int, BodyPose]:
        """The poses of the largest people, by their index in `detections`."""
        people = [
            index
            for index, found in enumerate(self.detections)
            if found.category == "person"
            and found.confidence >= _MIN_PERSON_SCORE
            and found.box.h >= _MIN_PERSON_HEIGHT
        ]
        people = sorted(people, key=lambda index: -self.detections[index].box.area)[:MAX_PEOPLE]
        boxes = [self.detections[index].box for index in people]
        poses = self._shelf.pose.estimate([self.image] * len(boxes), boxes)
        return dict(zip(people, poses, strict=True))

    @cached_property
    def labels(self) -> ImageLabels:
        """The labels of the whole frame."""
        found: ImageLabels = self._shelf.labeller.label([self.image])[0]
        return found


class NearDuplicateFilter:
    """Tells whether a frame is a near-duplicate of the last frame that was not.

    A person crossing a still scene changes little of the picture, so the most changed patch decides, not the
    average.
    """

    SIZE = (64, 36)
    _MAX_PATCH = 9.0
    """Largest change of a 3×3 patch (of 255) that codec noise and grain still cause."""

    def __init__(self) -> None:
        self._last: NDArray[np.float32] | None = None

    def is_duplicate(self, gray: NDArray[np.uint8]) -> bool:
        """Compare with the last distinct frame; a frame that differs becomes that frame."""
        current = cv2.blur(gray.astype(np.float32), (3, 3))
        if self._last is not None and float(np.abs(current - self._last).max()) < self._MAX_PATCH:
            return True
        self._last = current.astype(np.float32)
        return False
