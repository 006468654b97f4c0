"""Measurements of one entity at one time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from typing import Literal

from vidence.models.vision.attributes import posture
from vidence.queries.entities.spatial import HANDHELD, near_each_other, normal_distance
from vidence.queries.objects.frame import FrameObjects
from vidence.queries.objects.match import Measured
from vidence.schema.perception import BodyPose, Box, Detection

__all__ = ["EntityFacts", "Facing", "OtherObject", "has_pose", "held", "measure_entity", "neighbours"]

Facing = Literal["camera", "left", "right"]

_SAME_IOU = 0.35
_HAND_REACH = 0.18
"""Largest gap between wrist and box of a held object, in heights of the person."""
_NEAR = 0.26
_MIN_POSE_HEIGHT = 0.12
_TURNED = 0.35
_MAX_NEAR = 3


@dataclass(frozen=True)
class OtherObject:
    """Another object in the frame."""

    category: str
    confidence: float
    box: Box
    distance: float


@dataclass(frozen=True)
class EntityFacts:
    """One entity in one frame."""

    category: str
    box: Box
    confidence: float
    seen: bool
    """Whether the detector found it in this frame; if not, its box comes from its track."""
    attributes: dict[str, str]
    pose: BodyPose | None
    aspect: float
    others: tuple[OtherObject, ...] = ()
    moves: str | None = None
    """How it moves around that time, in the words of `track_entity`."""
    acts: str | None = None
    """Its recognised body action."""

    @property
    def posture(self) -> str | None:
        return posture(self.pose, aspect=self.aspect) if self.pose else None

    @property
    def facing(self) -> Facing | None:
        """The direction of the face as seen in the picture; None if it is not visible."""
        if self.pose is None:
            return None
        nose = self.pose.find("nose")
        ears = [self.pose.find("left_ear"), self.pose.find("right_ear")]
        if nose is None or not any(ears):
            return None
        if ears[0] and ears[1]:
            width = abs(ears[0].x - ears[1].x)
            offset = (nose.x - (ears[0].x + ears[1].x) / 2) / max(width, 1e-6)
            return "camera" if abs(offset) < _TURNED else "right" if offset > 0 else "left"
        ear = ears[0] or ears[1]
        assert ear is not None
        return "right" if nose.x > ear.x else "left"


def measure_entity(
    frame: FrameObjects, category: str, box: Box, confidence: float, *, pose: BodyPose | None
) -> EntityFacts:
    """Measure the entity in its frame, where the detector finds it or else where its track is."""
    height, width = frame.image.shape[:2]
    aspect = width / height
    found = frame.find()
    mine = _nearest(found, category, box)
    place = mine.box if mine else box
    measured: Measured = frame.measure(Detection(category, confidence, place))
    others = tuple(
        OtherObject(one.category, one.confidence, one.box, normal_distance(place, one.box, aspect=aspect))
        for one in found
        if one is not mine and one.box.iou(place) < 0.8
    )
    sure = mine.confidence if mine else confidence
    return EntityFacts(
        category, place, sure, mine is not None, dict(measured.attributes), pose, aspect, others
    )


def held(facts: EntityFacts) -> list[OtherObject]:
    """Return the objects in the person's hands, the most confident first."""
    if facts.category != "person":
        return []
    small = [one for one in facts.others if one.category in HANDHELD and one.box.area < 0.5 * facts.box.area]
    return sorted((one for one in small if _in_hand(facts, one.box)), key=lambda one: -one.confidence)


def neighbours(facts: EntityFacts) -> list[OtherObject]:
    """Return the objects close by, the nearest first."""
    near = [one for one in facts.others if one.distance < _NEAR or near_each_other(facts.box, one.box)]
    return sorted(near, key=lambda one: one.distance)[:_MAX_NEAR]


def has_pose(category: str, box: Box) -> bool:
    """Return whether the box is a person large enough for pose estimation."""
    return category == "person" and box.h >= _MIN_POSE_HEIGHT


def _nearest(found: Sequence[Detection], category: str, box: Box) -> Detection | None:
    same = [one for one in found if one.category == category]
    best = max(same, key=lambda one: one.box.iou(box), default=None)
    return best if best is not None and best.box.iou(box) >= _SAME_IOU else None


def _in_hand(facts: EntityFacts, box: Box) -> bool:
    wrists = [facts.pose.find(f"{side}_wrist") for side in ("left", "right")] if facts.pose else []
    seen = [wrist for wrist in wrists if wrist is not None]
    if not seen:
        # Without wrists, only an object well inside the person's box may be held.
        return facts.box.overlap(box) >= 0.8 * box.area
    reach = _HAND_REACH * facts.box.h
    return any(_gap(wrist.x, wrist.y, box, facts.aspect) <= reach for wrist in seen)


def _gap(x: float, y: float, box: Box, aspect: float) -> float:
    dx = max(box.x - x, 0.0, x - box.x - box.w) * aspect
    dy = max(box.y - y, 0.0, y - box.y - box.h)
    return hypot(dx, dy)
