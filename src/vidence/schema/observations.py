"""The rows of the index: one frozen model per stage, each with the span it describes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from vidence.schema.frozen import Frozen
from vidence.schema.time import Seconds

__all__ = [
    "ActionsSeen",
    "Caption",
    "FrameSeen",
    "LabelsSeen",
    "MotionSeen",
    "NamedScore",
    "NormalBox",
    "ObjectsSeen",
    "Observation",
    "PosesSeen",
    "SeenObject",
    "SeenPose",
    "SeenText",
    "Segment",
    "SoundEvent",
    "TextSeen",
    "Transition",
]

Transition = Literal["start", "cut", "fade", "dissolve"]

NormalBox = Annotated[tuple[float, float, float, float], Field(description="[x, y, w, h], each 0 to 1.")]


class Observation(Frozen):
    """An observation that holds from `start_time` to `end_time`."""

    start_time: float
    end_time: float


class NamedScore(Frozen):
    """A label and its confidence."""

    label: str
    score: float


class FrameSeen(Observation):
    """Stage `frames`: one sampled frame; it represents the time until the picture changes."""

    thumbnail: str
    """Blob name of its JPEG."""
    brightness: float
    """Mean luma, 0 to 1."""
    contrast: float
    saturation: float
    sharpness: float
    colours: tuple[NamedScore, ...] = ()
    """Dominant colour names and the share of the picture each covers."""


class LabelsSeen(Observation):
    """Stage `labels`: what the whole picture shows."""

    labels: tuple[NamedScore, ...]


class SeenObject(Frozen):
    """One object in one frame."""

    category: str
    confidence: float
    bbox: NormalBox
    attributes: dict[str, str] = Field(default_factory=dict)


class ObjectsSeen(Observation):
    """Stage `objects`: every object of one frame."""

    objects: tuple[SeenObject, ...]


class SeenPose(Frozen):
    """One person's joints in one frame."""

    bbox: NormalBox
    keypoints: tuple[tuple[float, float, float], ...]
    """(x, y, score) of the 17 COCO joints, in picture fractions."""
    posture: str | None


class PosesSeen(Observation):
    """Stage `pose`: the people of one frame."""

    people: tuple[SeenPose, ...]


class ActionsSeen(Observation):
    """Stage `actions`: the actions in one clip, as calibrated probabilities."""

    actions: tuple[NamedScore, ...]


class SeenText(Frozen):
    """One line of text in one frame."""

    text: str
    confidence: float
    bbox: NormalBox


class TextSeen(Observation):
    """Stage `ocr`: the text on screen."""

    lines: tuple[SeenText, ...]


class MotionSeen(Observation):
    """Stage `motion`: motion of the camera and of objects, per second of video."""

    dx: float
    """Camera pan to the right, in picture widths a second."""
    dy: float
    """Camera tilt downward, in picture heights a second."""
    zoom: float
    """Growth of the picture a second: 0.1 is a zoom in by a tenth."""
    shake: float
    """Mean change of the camera's speed from frame to frame, in picture widths."""
    activity: float
    """Share of the picture that moves relative to the camera, 0 to 1."""
    reliable: bool = True
    """False when there was too little texture to tell."""


class Caption(Observation):
    """Stage `captions`: one sentence about a shot, in both languages."""

    segment_id: str
    en: str
    zh: str
    confidence: float


class SoundEvent(Observation):
    """Stage `sounds`: one sound that is not speech, from when it starts to when it ends."""

    event_type: str
    """What kind of sound: applause, door_knock, alarm, dog_bark, …"""
    start_time: Seconds
    end_time: Seconds
    confidence: float = Field(ge=0, le=1)
    """Calibrated: of events at 0.8, about 80 % are right."""
    description: str = ""
    """The finer name: siren, clock_alarm, background_music, …"""

    @classmethod
    def of(cls, event_type: str, start: float, end: float, confidence: float, finer: str = "") -> SoundEvent:
        """Return the event with plain numbers, which stay the same when written down and read again."""
        return cls(
            event_type=event_type,
            start_time=float(start),
            end_time=float(end),
            confidence=float(confidence),
            description=finer,
        )


class Segment(Observation):
    """Stage `shots`: one shot or scene; ids count from seg_001 within a granularity."""

    segment_id: str
    type: Literal["scene", "shot"]
    transition: Transition = "cut"
    """How the segment begins."""

    @property
    def duration_s(self) -> float:
        return self.end_time - self.start_time
