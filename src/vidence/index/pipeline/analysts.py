"""The analysts: each makes, for a job, the function that turns one distinct frame into a stage's rows."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.index.pipeline.frame import AnalysedFrame
from vidence.index.pipeline.frames_lane import Analyst, FrameRows
from vidence.index.pipeline.job import Job
from vidence.index.thumbnails import THUMB, Thumb, is_alike
from vidence.media.jpeg import encode_jpeg
from vidence.models.vision.attributes import posture
from vidence.models.vision.colours import colour_shares
from vidence.models.vision.embedding import FeatureEmbedder
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
from vidence.schema.perception import Box, FloatArray, Rgb
from vidence.store import VectorRow

__all__ = [
    "TextAnalyst",
    "frames_analyst",
    "image_vectors_analyst",
    "labels_analyst",
    "labels_row",
    "lens_vectors_analyst",
    "objects_analyst",
    "objects_row",
    "pose_analyst",
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
"""Mismatch of two frames above which they show different things, however the camera moved."""
_TEXT_CHANGE = 28.0
"""Mean change (of 255) that means other letters or another shot, not a moving background."""
_ADDED_CHANGE = 8.0
"""Mean change beside or below a line of a still picture that means more words: they fill a part of it."""
_ADDED = 4.0
"""How far beyond the end of a line words may be added, in its heights."""
_STILL = 6.0
"""Mean change of a picture (of 255) in which little more than some words has changed."""
_MIN_COLOUR = 0.08


def frames_analyst(job: Job) -> Analyst:
    """Store a thumbnail of the frame and measure its light, sharpness and colours."""

    def analyse(frame: AnalysedFrame) -> FrameRows:
        name = f"thumbs/{round(frame.time_s * 1000):010d}.jpg"
        job.store.blobs.write(
            job.video_id, name, encode_jpeg(frame.image, max_side=_THUMB_SIDE, quality=_THUMB_QUALITY)
        )
        hsv = cv2.cvtColor(frame.image, cv2.COLOR_RGB2HSV)
        gray = cv2.cvtColor(frame.image, cv2.COLOR_RGB2GRAY)
        row = FrameSeen(
            start_time=frame.time_s,
            end_time=frame.time_s,
            thumbnail=name,
            brightness=round(float(gray.mean()) / 255, 4),
            contrast=round(float(gray.std()) / 255, 4),
            saturation=round(float(hsv[..., 1].mean()) / 255, 4),
            sharpness=round(float(cv2.Laplacian(gray, cv2.CV_32F).std()), 2),
            colours=_colours(frame.image),
        )
        return FrameRows((row,))

    return analyse


def labels_analyst(job: Job) -> Analyst:
    """Label the whole frame."""
    return lambda frame: FrameRows((labels_row(frame),))


def labels_row(frame: AnalysedFrame) -> LabelsSeen:
    """Return the likeliest labels of a frame."""
    kept = [
        NamedScore(label=item.label, score=round(item.score, 4))
        for item in frame.labels.scores[:_MAX_LABELS]
        if item.score >= _MIN_LABEL
    ]
    return LabelsSeen(start_time=frame.time_s, end_time=frame.time_s, labels=tuple(kept))


def image_vectors_analyst(job: Job) -> Analyst:
    """Embed the frame for finding similar frames."""
    embedder = job.shelf.image_embedder

    def analyse(frame: AnalysedFrame) -> FrameRows:
        if isinstance(embedder, FeatureEmbedder):
            # The embedder is built on the labeller's feature, so it is computed once for both.
            return _vector(frame, embedder.combine([frame.labels.feature], [frame.image])[0])
        return _vector(frame, embedder.embed([frame.image])[0])

    return analyse


def lens_vectors_analyst(job: Job) -> Analyst:
    """Embed the frame into the space of texts, for finding it with words."""
    model = job.shelf.image_text

    def analyse(frame: AnalysedFrame) -> FrameRows:
        if isinstance(model, LensImageText):
            return _vector(frame, model.encoder.encode_images(frame.labels.feature[None])[0])
        return _vector(frame, model.encode_images([frame.image])[0])

    return analyse


def objects_analyst(job: Job) -> Analyst:
    """Find objects and the attributes of each."""
    return lambda frame: FrameRows((objects_row(frame),))


def objects_row(frame: AnalysedFrame) -> ObjectsSeen:
    """Return the objects of a frame that are confident enough, with their attributes."""
    objects = tuple(
        SeenObject(
            category=found.category,
            confidence=round(found.confidence, 4),
            bbox=found.box.rounded(),
            attributes=frame.attributes(index),
        )
        for index, found in enumerate(frame.detections)
        if found.confidence >= _MIN_OBJECT
    )
    return ObjectsSeen(start_time=frame.time_s, end_time=frame.time_s, objects=objects)


def pose_analyst(job: Job) -> Analyst:
    """Estimate the poses of the people in the frame."""
    return _poses


def _poses(frame: AnalysedFrame) -> FrameRows:
    people = tuple(
        SeenPose(
            bbox=frame.detections[index].box.rounded(),
            keypoints=tuple(
                (round(point.x, 4), round(point.y, 4), round(point.score, 3)) for point in pose.keypoints
            ),
            posture=posture(pose, aspect=frame.aspect),
        )
        for index, pose in frame.poses.items()
    )
    return FrameRows((PosesSeen(start_time=frame.time_s, end_time=frame.time_s, people=people),))


class TextAnalyst:
    """Reads on-screen text at regular intervals, and at once when the text or the view has changed."""

    def __init__(self, job: Job) -> None:
        self._shelf = job.shelf
        self._every_s = job.profile.text_every_s or job.profile.frame_every_s
        self._last_s = -self._every_s
        self._places: list[Box] = []
        self._before: NDArray[np.uint8] | None = None
        self._view: Thumb | None = None

    def __call__(self, frame: AnalysedFrame) -> FrameRows | None:
        """Read the frame; between readings the last one holds."""
        now, thumb = _small_gray(frame.image), _thumb(frame.image)
        # A new view is read at once: a title card may stay still, and then no later frame is analysed.
        new_view = self._view is None or not is_alike(self._view, thumb, _NEW_VIEW)
        self._view = thumb
        waited = frame.time_s - self._last_s >= self._every_s - 0.05
        if not (waited or new_view or self._text_changed(now)):
            return None
        finding = self._read(frame)
        lines = [line for row in finding.rows if isinstance(row, TextSeen) for line in row.lines]
        self._places = [Box(*line.bbox) for line in lines]
        self._last_s, self._before = frame.time_s, now
        return finding

    def _text_changed(self, now: NDArray[np.uint8]) -> bool:
        before = self._before
        return before is not None and any(_changed(before, now, place) for place in self._places)

    def _read(self, frame: AnalysedFrame) -> FrameRows:
        lines = tuple(
            SeenText(text=line.text, confidence=round(line.confidence, 3), bbox=line.box.rounded())
            for line in self._shelf.ocr.read([frame.large])[0]
            if line.confidence >= _MIN_TEXT
        )
        return FrameRows((TextSeen(start_time=frame.time_s, end_time=frame.time_s, lines=lines),))


def _thumb(image: Rgb) -> Thumb:
    return np.asarray(cv2.resize(image, THUMB, interpolation=cv2.INTER_AREA), np.uint8)


def _small_gray(image: Rgb) -> NDArray[np.uint8]:
    small = cv2.resize(image, _GRAY_SIZE, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), np.uint8)


def _changed(before: NDArray[np.uint8], now: NDArray[np.uint8], place: Box) -> bool:
    """Tell whether a line has changed, or, in a still picture, something was added at its end or below it."""
    right, below = place.x + place.w, place.y + place.h
    end = Box.from_corners(right, place.y, right + _ADDED * place.h, below)
    under = Box.from_corners(place.x, below, right, below + place.h)
    # Beside a line on a moving picture everything changes all the time.
    is_still = float(cv2.absdiff(before, now).mean()) < _STILL
    added = ((end, _ADDED_CHANGE), (under, _ADDED_CHANGE)) if is_still else ()
    for part, least in ((place, _TEXT_CHANGE), *added):
        if min(part.w, part.h) > 0:
            left, top, right_px, bottom = part.pixels(*_GRAY_SIZE)
            here = np.s_[top:bottom, left:right_px]
            if float(cv2.absdiff(before[here], now[here]).mean()) > least:
                return True
    return False


def _colours(image: Rgb) -> tuple[NamedScore, ...]:
    small = np.asarray(cv2.resize(image, (96, 54), interpolation=cv2.INTER_AREA), np.uint8)
    shares = colour_shares(small)[:_MAX_COLOURS]
    return tuple(
        NamedScore(label=found.name, score=round(found.share, 3))
        for found in shares
        if found.share >= _MIN_COLOUR
    )


def _vector(frame: AnalysedFrame, vector: FloatArray) -> FrameRows:
    return FrameRows(vectors=(VectorRow(frame.time_s, frame.time_s, "frame", vector),))
