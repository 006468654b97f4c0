"""How thoroughly to look: three profiles, each a set of rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vidence.errors import UnknownName

__all__ = ["PROFILES", "Profile", "ProfileName", "get_profile"]

ProfileName = Literal["fast", "default", "thorough"]


@dataclass(frozen=True)
class Profile:
    """What the index spends its time on."""

    name: ProfileName
    frame_every_s: float
    """How often a frame is looked at; frames that look like the last one are passed over."""
    action_every_s: float | None
    """How often a clip is shown to the action model; None leaves actions out."""
    track_every_s: float | None
    """How often moving things are looked at to be followed; None leaves that to those who ask for it."""
    text_every_s: float | None
    """How often a changed frame is searched for text; None leaves it out."""
    small_objects: bool
    """Whether detection also looks at tiles of the frame."""
    speech: Literal["small", "base"]
    draft: bool = False
    """Whether to decode without deblocking: faster, and a little blocky where a codec is pressed hard."""


PROFILES: dict[str, Profile] = {
    "fast": Profile(
        "fast", frame_every_s=3.0, action_every_s=None, track_every_s=None, text_every_s=9.0,
        small_objects=False, speech="small", draft=True,
    ),
    "default": Profile(
        "default", frame_every_s=1.0, action_every_s=8.0, track_every_s=0.25, text_every_s=3.0,
        small_objects=False, speech="base",
    ),
    "thorough": Profile(
        "thorough", frame_every_s=0.5, action_every_s=3.0, track_every_s=0.1, text_every_s=1.0,
        small_objects=True, speech="base",
    ),
}  # fmt: skip


def get_profile(name: str) -> Profile:
    """Return the profile called `name`."""
    if name not in PROFILES:
        raise UnknownName("profile", name, PROFILES, remedy=f"Profiles: {', '.join(PROFILES)}.")
    return PROFILES[name]
