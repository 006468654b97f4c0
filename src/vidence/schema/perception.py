"""Model outputs: plain frozen values that every adapter of a capability returns."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BodyPose",
    "Box",
    "Detection",
    "FloatArray",
    "ImageLabels",
    "Keypoint",
    "LabelScore",
    "Rgb",
    "SpeechWord",
    "TextLine",
    "VisualAnswer",
]

Rgb = NDArray[np.uint8]
"""One picture, (height, width, 3), red first."""

FloatArray = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in fractions of the picture: left, top, width, height."""

    x: float
    y: float
    w: float
    h: float

    @classmethod
    def from_corners(cls, x1: float, y1: float, x2: float, y2: float) -> Box:
        """Return the box between two corners, cut off at the picture's edge."""
        left, top = min(max(x1, 0.0), 1.0), min(max(y1, 0.0), 1.0)
        right, bottom = min(max(x2, left), 1.0), min(max(y2, top), 1.0)
        return cls(left, top, right - left, bottom - top)

    @property
    def area(self) -> float:
        return self.w * self.h

    @property
    def centre(self) -> tuple[float, float]:
        return self.x + self.w / 2, self.y + self.h / 2

    def rounded(self) -> tuple[float, float, float, float]:
        """Return (x, y, w, h) to four decimals, as results and rows hold it."""
        return round(self.x, 4), round(self.y, 4), round(self.w, 4), round(self.h, 4)

    def overlap(self, other: Box) -> float:
        """Return the area both boxes share."""
        width = min(self.x + self.w, other.x + other.w) - max(self.x, other.x)
        height = min(self.y + self.h, other.y + other.h) - max(self.y, other.y)
        return max(width, 0.0) * max(height, 0.0)

    def iou(self, other: Box) -> float:
        """Return intersection over union."""
        shared = self.overlap(other)
        union = self.area + other.area - shared
        return shared / union if union > 0 else 0.0

    def pixels(self, width: int, height: int) -> tuple[int, int, int, int]:
        """Return (left, top, right, bottom) in whole pixels, never empty inside a real picture."""
        left, top = min(int(self.x * width), width - 1), min(int(self.y * height), height - 1)
        right = min(max(round((self.x + self.w) * width), left + 1), width)
        bottom = min(max(round((self.y + self.h) * height), top + 1), height)
        return left, top, right, bottom

    def crop(self, image: Rgb) -> Rgb:
        """Return the part of `image` inside the box, without copying."""
        left, top, right, bottom = self.pixels(image.shape[1], image.shape[0])
        return image[top:bottom, left:right]


@dataclass(frozen=True, slots=True)
class Detection:
    """One object found in one picture."""

    category: str
    confidence: float
    box: Box


@dataclass(frozen=True, slots=True)
class VisualAnswer:
    """A short answer to a question about a picture, and its calibrated chance of being right."""

    text: str
    probability: float


@dataclass(frozen=True, slots=True)
class LabelScore:
    """One label or action of a closed list and its probability."""

    label: str
    score: float


@dataclass(frozen=True, slots=True)
class ImageLabels:
    """What a whole picture shows, and the feature the labels were computed from."""

    scores: tuple[LabelScore, ...]
    """The likeliest labels, best first."""
    feature: FloatArray = field(repr=False, compare=False)
    """The pooled feature before the classifier; its length is the labeller's `feature_dim`."""


@dataclass(frozen=True, slots=True)
class Keypoint:
    """One joint, in fractions of the picture."""

    name: str
    x: float
    y: float
    score: float


@dataclass(frozen=True, slots=True)
class BodyPose:
    """The joints of one person."""

    keypoints: tuple[Keypoint, ...]

    @property
    def score(self) -> float:
        return sum(point.score for point in self.keypoints) / len(self.keypoints) if self.keypoints else 0.0

    def find(self, name: str, *, min_score: float = 0.3) -> Keypoint | None:
        """Return the joint called `name` if it was seen clearly enough."""
        return next((p for p in self.keypoints if p.name == name and p.score >= min_score), None)


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of text read off a picture."""

    text: str
    confidence: float
    box: Box


@dataclass(frozen=True, slots=True)
class SpeechWord:
    """One spoken word, in seconds from the start of the sound given to the model."""

    text: str
    start_s: float
    end_s: float
    confidence: float
