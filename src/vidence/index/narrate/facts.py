"""What can be said of a span: plain values between what the models saw and the sentences of a language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vidence.schema.time import TimeRange

__all__ = [
    "CameraMove",
    "Facts",
    "Heard",
    "Light",
    "Moved",
    "Name",
    "People",
    "Person",
    "PictureStyle",
    "Place",
    "Said",
    "Setting",
    "ShotFacts",
    "Thing",
]

Place = Literal["left", "centre", "right"]
Moved = Literal["left_to_right", "right_to_left", "nearer", "away"]
CameraMove = Literal[
    "static", "pan_left", "pan_right", "tilt_up", "tilt_down", "zoom_in", "zoom_out", "tracking", "handheld"
]
Light = Literal["dark", "bright"]


@dataclass(frozen=True)
class Name:
    """A thing's name in both languages."""

    en: str
    plural: str
    zh: str
    measure: str = "个"


@dataclass(frozen=True)
class Thing:
    """One kind of thing in a shot, merged over its frames."""

    name: Name
    kind: str
    """What sort of thing: animal, vehicle, furniture, …"""
    words: frozenset[str]
    """Everything a model called it, to find it by."""
    score: float
    sure: bool
    """False: to be said with a doubt."""
    count: int = 1
    area: float = 0.0
    """Share of the picture the largest one takes."""
    colour: str | None = None
    place: Place | None = None
    moved: Moved | None = None
    contents: Name | None = None
    """What it holds: the coffee in a cup."""


@dataclass(frozen=True)
class Person:
    """One person followed through a shot."""

    place: Place
    upper: str | None = None
    """Colour of what is worn above the waist."""
    lower: str | None = None
    posture: str | None = None
    moved: Moved | None = None
    area: float = 0.0


@dataclass(frozen=True)
class People:
    """The people of a shot."""

    count: int
    """How many are in view at a typical moment."""
    most: int
    score: float
    sure: bool
    each: tuple[Person, ...] = ()
    """Those of whom more can be said, from left to right; empty for a crowd."""
    walking: bool = False
    """Most of them walk."""
    followed: tuple[Person, ...] = ()
    """Everyone who could be followed, however many, the longest in view first: to find one of them by."""


@dataclass(frozen=True)
class PictureStyle:
    """How the picture itself looks."""

    grey: bool = False
    """Black and white."""
    light: Light | None = None
    colours: tuple[str, ...] = ()
    blank: bool = False
    """One plain colour, nothing in it."""


@dataclass(frozen=True)
class Setting:
    """Where and when, as far as it can be known."""

    location: Name | None = None
    """As a phrase: `in a kitchen`, 厨房里."""
    time_of_day: Name | None = None
    weather: Name | None = None


@dataclass(frozen=True)
class Said:
    """What was said, sentence by sentence, each without its full stop."""

    quotes: tuple[str, ...] = ()
    is_heard: bool = False
    """Someone speaks, even if no words could be made out."""


@dataclass(frozen=True)
class Heard:
    """A sound that is not speech."""

    en: str
    zh: str


@dataclass(frozen=True)
class ShotFacts:
    """One shot, or the part of it inside the span."""

    span: TimeRange
    people: People | None = None
    things: tuple[Thing, ...] = ()
    """The likeliest and largest first."""
    camera: CameraMove | None = None
    is_moving: bool = False
    """Whether anything moves before the camera."""
    style: PictureStyle = PictureStyle()
    setting: Setting = Setting()
    actions: tuple[Name, ...] = ()
    """What goes on, as -ing forms and Chinese verbs."""
    texts: tuple[str, ...] = ()
    is_title: bool = False
    """The text is what the picture is about."""
    text_score: float = 0.0
    said: Said = Said()
    sounds: tuple[Heard, ...] = ()
    is_silent: bool = False


@dataclass(frozen=True)
class Facts:
    """Everything known about a span."""

    span: TimeRange
    shots: tuple[ShotFacts, ...]
    frames: int
    """Distinct frames behind it."""
    has_sound: bool = True
    """Whether the video has a sound track at all."""
