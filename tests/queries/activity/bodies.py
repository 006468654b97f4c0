"""People drawn joint by joint, whose actions are known."""

from __future__ import annotations

import math

from vidence.models.vision.movenet import KEYPOINTS
from vidence.queries.activity.people import PersonSighting, PersonTrack
from vidence.schema.perception import BodyPose, Box, Keypoint

STANDING = {
    "shoulder": 0.2, "elbow": 0.35, "wrist": 0.5, "hip": 0.5, "knee": 0.75, "ankle": 1.0,
}  # fmt: skip


def make_pose(
    box: Box, *, hand: tuple[float, float] | None = None, sitting: bool = False, gap: float = 0.1
) -> BodyPose:
    """Draw a person into a box; `hand` is where the left wrist is, in box fractions."""
    points = []
    for name in KEYPOINTS:
        side, _, part = name.partition("_")
        x, y = 0.5, 0.08
        if part in STANDING:
            spread = gap if part == "ankle" else 0.2
            x, y = 0.5 + (spread if side == "left" else -spread), STANDING[part]
        if sitting and part == "knee":
            y = 0.55
        if hand is not None and name == "left_wrist":
            x, y = hand
        points.append(Keypoint(name, box.x + x * box.w, box.y + y * box.h, 0.8))
    return BodyPose(tuple(points))


def make_track(
    *, speed: float = 0.0, wave: bool = False, sitting: bool = False, seconds: float = 3.0
) -> PersonTrack:
    track = PersonTrack(aspect=1.0)
    for n in range(round(seconds * 7)):
        t = n / 7
        box = Box(0.1 + speed * 0.4 * t, 0.3, 0.2, 0.4)
        hand = (0.7 + 0.3 * math.sin(2 * math.pi * t), 0.05) if wave else None
        gap = 0.1 * math.cos(2 * math.pi * t) if speed else 0.1
        pose = make_pose(box, hand=hand, sitting=sitting, gap=gap)
        track.sightings.append(PersonSighting(t, box, 0.9, pose, (0.0, 0.0)))
    return track
