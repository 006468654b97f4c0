"""Short synthetic timelines for the tests of shots and scenes, drawn without any outside picture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np

from vidence.bench.stress import Clip, Image, draw_picture, make_clip
from vidence.bench.stress_cases import CASES
from vidence.index.shots.detector import ShotDetector, ShotList
from vidence.index.thumbnails import THUMB, Thumb

__all__ = ["case_clip", "detect", "find", "flat", "look"]


@dataclass(frozen=True)
class _Look:
    """A picture already at hand, as the detector asks for it."""

    time_s: float
    image: Image

    def rgb(self, *, size: tuple[int, int] | None = None) -> Image:
        return np.asarray(cv2.resize(self.image, size or THUMB, interpolation=cv2.INTER_AREA), dtype=np.uint8)


@cache
def _pictures() -> tuple[Image, ...]:
    return tuple(draw_picture(seed) for seed in range(9))


def look(seed: int) -> Thumb:
    """Return the thumbnail of a drawn picture."""
    image = _pictures()[seed]
    return np.asarray(cv2.resize(image, THUMB, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def flat(level: int) -> Thumb:
    """Return a blank thumbnail."""
    return np.full((THUMB[1], THUMB[0], 3), level, np.uint8)


def case_clip(name: str, *, seed: int = 3) -> Clip:
    """Render a case of the stress suite with drawn pictures."""
    case = next(case for case in CASES if case.name == name)
    return make_clip(case, seed=seed, photos=list(_pictures()))


def detect(clip: Clip) -> ShotList:
    """Feed a clip to the detector frame by frame."""
    detector = ShotDetector(fps=len(clip.times) / clip.duration_s)
    for time, frame in zip(clip.times, clip.frames, strict=True):
        detector.feed(_Look(time, frame))
    return detector.finish_list(clip.duration_s)


def find(thumbs: list[Thumb], *, fps: float = 25.0) -> ShotList:
    """Detect shots in thumbnails shown at a steady rate."""
    detector = ShotDetector(fps=fps)
    for index, thumb in enumerate(thumbs):
        detector.feed_thumb(thumb, time=index / fps)
    return detector.finish_list(len(thumbs) / fps)
