"""The parts a film is made of: shots with a camera, joins between them, words, lettering and sounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = [
    "FPS",
    "HEIGHT",
    "RATE",
    "WIDTH",
    "Caption",
    "Film",
    "Join",
    "Line",
    "Motion",
    "Shot",
    "Sound",
    "SoundType",
    "Thing",
    "View",
]

WIDTH, HEIGHT, FPS = 960, 540, 25
RATE = 48_000  # audio samples a second

Motion = Literal["static", "zoom in", "zoom out", "pan left", "pan right", "tilt up"]
SoundType = Literal["music", "door_knock", "alarm", "phone_ringing", "applause"]


@dataclass(frozen=True)
class View:
    """What the camera frames: centre and width in source pixels (the height follows from 16:9)."""

    x: float
    y: float
    width: float


@dataclass(frozen=True)
class Thing:
    """Something to be seen in a picture, with its box `(x, y, w, h)` in source pixels."""

    label: str
    box: tuple[float, float, float, float]
    colors: tuple[str, ...] = ()


@dataclass(frozen=True)
class Join:
    """How a shot is joined to the one before it; `half` frames of it lie on each side of the boundary."""

    type: Literal["cut", "dissolve", "fade"]
    half: int = 0


@dataclass(frozen=True)
class Shot:
    """One camera move over one picture, from frame `start` up to `end`."""

    picture: str
    start: int
    end: int
    first: View
    last: View
    motion: Motion
    join: Join
    labels: tuple[str, ...]
    description_en: str
    description_zh: str
    things: tuple[Thing, ...] = ()


@dataclass(frozen=True)
class Caption:
    """Lettering on the picture from second `start` to `end`."""

    text: str
    start: float
    end: float
    place: Literal["title", "subtitle", "lower third"]
    language: Literal["en", "zh"]


@dataclass(frozen=True)
class Line:
    """One spoken line; `spoken` is what the voice is given when that differs from the text."""

    text: str
    start: float
    language: Literal["en", "zh"]
    spoken: str = ""


@dataclass(frozen=True)
class Sound:
    """One synthesised sound from second `start` to `end`."""

    type: SoundType
    start: float
    end: float


@dataclass(frozen=True)
class Film:
    """The whole screenplay."""

    title: str
    shots: tuple[Shot, ...]
    captions: tuple[Caption, ...]
    lines: tuple[Line, ...]
    sounds: tuple[Sound, ...]

    @property
    def frame_count(self) -> int:
        """Return how many frames the film has."""
        return self.shots[-1].end
