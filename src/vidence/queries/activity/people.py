"""People tracked through densely sampled frames with their joints, for recognising body actions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vidence.index.camera import CAMERA_SIZE, measure_step
from vidence.media import DecodedFrame
from vidence.models.shelf import ModelShelf
from vidence.schema.perception import BodyPose, Box, Detection
from vidence.schema.time import TimeRange

__all__ = ["PersonSighting", "PersonTrack", "burst_times", "follow_people"]

_FPS = 7.0
_BURST = 10
_MAX_FRAMES = 60
_SIDE = 640
_MAX_PEOPLE = 5
_MIN_SCORE = 0.4
_MIN_HEIGHT = 0.1
_SAME_IOU = 0.15
_LOST_S = 0.5


@dataclass(frozen=True)
class PersonSighting:
    """One person at one time."""

    time_s: float
    box: Box
    confidence: float
    pose: BodyPose
    camera: tuple[float, float]
    """How far the camera has panned and tilted since the first frame, in picture fractions."""


@dataclass
class PersonTrack:
    """One person over time, in a picture of a known shape."""

    aspect: float
    sightings: list[PersonSighting] = field(default_factory=list)

    @property
    def last(self) -> PersonSighting:
        return self.sightings[-1]


def burst_times(span: TimeRange) -> list[list[float]]:
    """Return sample times: dense over a short span, else dense bursts spread over it."""
    count = max(2, round(span.duration_s * _FPS))
    if count <= _MAX_FRAMES:
        return [list(np.linspace(span.start_time, span.end_time, count, endpoint=False))]
    bursts = _MAX_FRAMES // _BURST
    length_s = _BURST / _FPS
    starts = np.linspace(span.start_time, span.end_time - length_s, bursts)
    return [[float(start + n / _FPS) for n in range(_BURST)] for start in starts]


def follow_people(pictures: Iterable[DecodedFrame], shelf: ModelShelf) -> list[PersonTrack]:
    """Return the tracks of all people in consecutive frames, linked by box overlap."""
    tracks: list[PersonTrack] = []
    older: tuple[float, NDArray[np.uint8]] | None = None
    camera, last_s = (0.0, 0.0), -1.0
    for picture in pictures:
        if picture.time_s <= last_s:
            continue
        last_s = picture.time_s
        gray = picture.gray(size=CAMERA_SIZE)
        if older is not None:
            step = measure_step(older[1], gray, last_s - older[0])
            camera = (camera[0] + step.dx, camera[1] + step.dy)
        older = (last_s, gray)
        _join(tracks, _people(picture, shelf, camera), picture.size[0] / picture.size[1])
    return tracks


def _people(picture: DecodedFrame, shelf: ModelShelf, camera: tuple[float, float]) -> list[PersonSighting]:
    image = picture.rgb(max_side=_SIDE)
    found: list[Detection] = [
        one
        for one in shelf.detector.detect([image])[0]
        if one.category == "person" and one.confidence >= _MIN_SCORE and one.box.h >= _MIN_HEIGHT
    ]
    found = sorted(found, key=lambda one: -one.box.area)[:_MAX_PEOPLE]
    poses = shelf.pose.estimate([image] * len(found), [one.box for one in found])
    return [
        PersonSighting(picture.time_s, one.box, one.confidence, pose, camera)
        for one, pose in zip(found, poses, strict=True)
    ]


def _join(tracks: list[PersonTrack], seen: list[PersonSighting], aspect: float) -> None:
    """Assign each sighting to the track it overlaps most; the rest start new tracks."""
    pairs = sorted(
        ((one.box.iou(track.last.box), t, s) for t, track in enumerate(tracks) for s, one in enumerate(seen)),
        reverse=True,
    )
    taken_tracks: set[int] = set()
    taken: set[int] = set()
    for overlap, t, s in pairs:
        fresh = seen[s].time_s - tracks[t].last.time_s <= _LOST_S
        if overlap >= _SAME_IOU and fresh and t not in taken_tracks and s not in taken:
            tracks[t].sightings.append(seen[s])
            taken_tracks.add(t)
            taken.add(s)
    tracks += [PersonTrack(aspect, [one]) for s, one in enumerate(seen) if s not in taken]
