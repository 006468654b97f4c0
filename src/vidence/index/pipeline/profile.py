"""The index profiles: three sets of sampling rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vidence.errors import UnknownName

__all__ = ["PROFILES", "Profile", "ProfileName", "get_profile"]

ProfileName = Literal["fast", "default", "thorough"]


@dataclass(frozen=True)
class Profile:
    """Sampling rates and model sizes of the index."""

    name: ProfileName
    frame_every_s: float
    """How often a frame is analysed; near-duplicates are skipped."""
    action_every_s: float | None
    """How often a clip goes to the action model; None: no actions."""
    track_every_s: float | None
    """How often moving objects are detected for tracking; None: only when tracks are asked for."""
    text_every_s: float | None
    """How often a changed frame is searched for text; None: never."""
    small_objects: bool
    """Whether detection also covers tiles of the frame."""
    speech: Literal["small", "base"]
    draft: bool = False
    """Whether to decode without deblocking: faster, a little blocky at low bit rates."""


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
