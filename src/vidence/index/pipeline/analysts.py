"""The analysts: each turns one distinct frame into the rows of its stage."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.index.motion import THUMB, Thumb, is_alike
from vidence.index.pipeline.look import Look
from vidence.index.pipeline.looks import Finding
from vidence.models.shelf import ModelShelf
from vidence.models.vision.attributes import posture
from vidence.models.vision.colours import colour_shares
from vidence.models.vision.image_vectors import FeatureEmbedder
from vidence.models.vision.lens import LensImageText
from vidence.schema.observations import (
    FrameSeen,
    LabelsSeen,
    NamedScore,
    ObjectsSeen,
    PosesSeen,
    SeenObject,
    SeenPose,
    SeenText,
    TextSeen,
)
from vidence.schema.perception import Box, Rgb
from vidence.store import Store, VectorRow

__all__ = [
    "FramesAnalyst",
    "LabelsAnalyst",
    "ObjectsAnalyst",
    "PoseAnalyst",
    "TextAnalyst",
    "VectorsAnalyst",
    "WordsAnalyst",
]

_THUMB_SIDE = 320
_THUMB_QUALITY = 80
_MIN_LABEL = 0.02
_MAX_LABELS = 10
_MIN_OBJECT = 0.3
_MIN_TEXT = 0.5
_MAX_COLOURS = 4
_GRAY_SIZE = (160, 90)
_NEW_VIEW = 0.5
"""Mismatch of two looks above which they show different things, however the camera moved."""
_TEXT_CHANGE = 28.0
"""Mean change (of 255) that means other letters or another shot, not the background behind a caption."""
_MIN_COLOUR = 0.08


class FramesAnalyst:
    """Keeps a thumbnail and how light, sharp and colourful the frame is."""

    def __init__(self, store: Store, video_id: str) -> None:
        self._blobs, self._video_id = store.blobs, video_id

    def look(self, look: Look) -> Finding:
        """Measure the frame and write its thumbnail."""
        name = f"thumbs/{round(look.time_s * 1000):010d}.jpg"
        self._blobs.write(self._video_id, name, _thumbnail(look.image))
        hsv = cv2.cvtColor(look.image, cv2.COLOR_RGB2HSV)
        gray = cv2.cvtColor(look.image, cv2.COLOR_RGB2GRAY)
        row = FrameSeen(
            start_time=look.time_s,
            end_time=look.time_s,
            thumbnail=name,
            brightness=round(float(gray.mean()) / 255, 4),
            contrast=round(float(gray.std()) / 255, 4),
            saturation=round(float(hsv[..., 1].mean()) / 255, 4),
            sharpness=round(float(cv2.Laplacian(gray, cv2.CV_32F).std()), 2),
            colours=_colours(look.image),
        )
        return Finding((row,))


class LabelsAnalyst:
    """Names what the whole frame shows."""

    def look(self, look: Look) -> Finding:
        """Keep the likeliest labels."""
        kept = [
            NamedScore(label=item.label, score=round(item.score, 4))
            for item in look.labels.scores[:_MAX_LABELS]
            if item.score >= _MIN_LABEL
        ]
        return Finding((LabelsSeen(start_time=look.time_s, end_time=look.time_s, labels=tuple(kept)),))


class VectorsAnalyst:
    """Keeps a vector by which frames can be found that look alike."""

    def __init__(self, shelf: ModelShelf) -> None:
        self._embedder = shelf.image_embedder

    def look(self, look: Look) -> Finding:
        """Embed the frame, reusing the labeller's feature where the embedder is made of it."""
        if isinstance(self._embedder, FeatureEmbedder):
            vector = self._embedder.combine([look.labels.feature], [look.image])[0]
        else:
            vector = self._embedder.embed([look.image])[0]
        return Finding(vectors=(VectorRow(look.time_s, look.time_s, "frame", vector),))


class WordsAnalyst:
    """Keeps a vector by which the frame can be found with words."""

    def __init__(self, shelf: ModelShelf) -> None:
        self._model = shelf.image_text

    def look(self, look: Look) -> Finding:
        """Put the frame into the space of words, reusing the labeller's feature where lens is the model."""
        if isinstance(self._model, LensImageText):
            vector = self._model.encoder.encode_images(look.labels.feature[None])[0]
        else:
            vector = self._model.encode_images([look.image])[0]
        return Finding(vectors=(VectorRow(look.time_s, look.time_s, "frame", vector),))


class ObjectsAnalyst:
    """Finds objects and what can be said of each from its pixels."""

    def look(self, look: Look) -> Finding:
        """Keep every object that is sure enough, with its attributes."""
        objects = tuple(
            SeenObject(
                category=found.category,
                confidence=round(found.confidence, 4),
                bbox=found.box.rounded(),
                attributes=look.attributes(index),
            )
            for index, found in enumerate(look.detections)
            if found.confidence >= _MIN_OBJECT
        )
        return Finding((ObjectsSeen(start_time=look.time_s, end_time=look.time_s, objects=objects),))


class PoseAnalyst:
    """Keeps the joints of the people in the frame."""

    def look(self, look: Look) -> Finding:
        """Keep each pose with the box it was found in."""
        people = tuple(
            SeenPose(
                bbox=look.detections[index].box.rounded(),
                keypoints=tuple(
                    (round(point.x, 4), round(point.y, 4), round(point.score, 3)) for point in pose.keypoints
                ),
                posture=posture(pose, aspect=look.aspect),
            )
            for index, pose in look.poses.items()
        )
        return Finding((PosesSeen(start_time=look.time_s, end_time=look.time_s, people=people),))


class TextAnalyst:
    """Reads on-screen text every so often, and at once when the place of the text has changed."""

    def __init__(self, shelf: ModelShelf, *, every_s: float) -> None:
        self._shelf, self._every_s = shelf, every_s
        self._last_s = -every_s
        self._places: list[Box] = []
        self._before: NDArray[np.uint8] | None = None
        self._view: Thumb | None = None

    def look(self, look: Look) -> Finding | None:
        """Read the frame; between readings the last one holds."""
        now, thumb = _small_gray(look.image), _thumb(look.image)
        # A new view is read at once: a title card may stay still, and then no later frame is looked at.
        new_view = self._view is None or not is_alike(self._view, thumb, _NEW_VIEW)
        self._view = thumb
        waited = look.time_s - self._last_s >= self._every_s - 0.05
        if not (waited or new_view or self._text_changed(now)):
            return None
        finding = self._read(look)
        lines = [line for row in finding.rows if isinstance(row, TextSeen) for line in row.lines]
        self._places = [Box(*line.bbox) for line in lines]
        self._last_s, self._before = look.time_s, now
        return finding

    def _text_changed(self, now: NDArray[np.uint8]) -> bool:
        before = self._before
        return before is not None and any(_changed(before, now, place) for place in self._places)

    def _read(self, look: Look) -> Finding:
        lines = tuple(
            SeenText(text=line.text, confidence=round(line.confidence, 3), bbox=line.box.rounded())
            for line in self._shelf.ocr.read([look.image])[0]
            if line.confidence >= _MIN_TEXT
        )
        return Finding((TextSeen(start_time=look.time_s, end_time=look.time_s, lines=lines),))


def _thumb(image: Rgb) -> Thumb:
    return np.asarray(cv2.resize(image, THUMB, interpolation=cv2.INTER_AREA), np.uint8)


def _small_gray(image: Rgb) -> NDArray[np.uint8]:
    small = cv2.resize(image, _GRAY_SIZE, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), np.uint8)


def _changed(before: NDArray[np.uint8], now: NDArray[np.uint8], place: Box) -> bool:
    left, top, right, bottom = place.pixels(*_GRAY_SIZE)
    here = np.s_[top:bottom, left:right]
    return float(cv2.absdiff(before[here], now[here]).mean()) > _TEXT_CHANGE


def _thumbnail(image: Rgb) -> bytes:
    scale = min(1.0, _THUMB_SIDE / max(image.shape[:2]))
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    done, data = cv2.imencode(".jpg", small[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, _THUMB_QUALITY])
    if not done:
        raise BackendError("A thumbnail could not be encoded as JPEG.")
    return np.asarray(data).tobytes()


def _colours(image: Rgb) -> tuple[NamedScore, ...]:
    small = np.asarray(cv2.resize(image, (96, 54), interpolation=cv2.INTER_AREA), np.uint8)
    shares = colour_shares(small)[:_MAX_COLOURS]
    return tuple(
        NamedScore(label=found.name, score=round(found.share, 3))
        for found in shares
        if found.share >= _MIN_COLOUR
    )
