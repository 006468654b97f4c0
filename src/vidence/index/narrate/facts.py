"""The facts about a span: plain values between the models' rows and the sentences of a language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vidence.index.scene.kind import MadeKind
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
    """Its kind: animal, vehicle, furniture, …"""
    words: frozenset[str]
    """Every name a model gave it, for searching."""
    score: float
    sure: bool
    """False: mentioned with a doubt."""
    count: int = 1
    area: float = 0.0
    """Share of the picture that the largest one fills."""
    colour: str | None = None
    place: Place | None = None
    moved: Moved | None = None
    share: float = 1.0
    """Share of the frames in which it was found."""
    contents: Name | None = None
    """What it contains: the coffee in a cup."""


@dataclass(frozen=True)
class Person:
    """One person tracked through a shot."""

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
    """Those with details, from left to right; empty for a crowd."""
    walking: bool = False
    """Most of them walk."""
    followed: tuple[Person, ...] = ()
    """Everyone who could be tracked, the longest in view first, for a focus on one of them."""


@dataclass(frozen=True)
class PictureStyle:
    """The light and colours of the picture."""

    grey: bool = False
    """Black and white."""
    light: Light | None = None
    colours: tuple[str, ...] = ()
    blank: bool = False
    """One plain colour, nothing in it."""
    kind: MadeKind | None = None
    """A screen or a graphic, surely not filmed."""


@dataclass(frozen=True)
class Setting:
    """Place, time and weather, as far as they are known."""

    location: Name | None = None
    """As a phrase: `in a kitchen`, 厨房里."""
    time_of_day: Name | None = None
    weather: Name | None = None


@dataclass(frozen=True)
class Said:
    """The speech, sentence by sentence, each without its full stop."""

    quotes: tuple[str, ...] = ()
    is_heard: bool = False
    """Someone speaks, even if no words were recognised."""


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
    """The most confident and largest first."""
    camera: CameraMove | None = None
    is_moving: bool = False
    """Whether anything moves in front of the camera."""
    style: PictureStyle = PictureStyle()
    setting: Setting = Setting()
    actions: tuple[Name, ...] = ()
    """The actions, as -ing forms and Chinese verbs."""
    texts: tuple[str, ...] = ()
    is_title: bool = False
    """The text is the main content of the picture."""
    text_score: float = 0.0
    said: Said = Said()
    sounds: tuple[Heard, ...] = ()
    is_silent: bool = False

    @property
    def is_named_by_colour(self) -> bool:
        """Whether nothing but its colours can be named, so that its subject already names them."""
        has_more = self.people or self.things or self.setting.location
        return not has_more and bool(self.style.colours or self.style.grey)


@dataclass(frozen=True)
class Facts:
    """Everything known about a span."""

    span: TimeRange
    shots: tuple[ShotFacts, ...]
    frames: int
    """Distinct frames behind it."""
    has_sound: bool = True
    """Whether the video has a sound track at all."""
