"""Where a person's head and trunk are, by their joints; by their outline where no joint is seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from vidence.schema.perception import BodyPose, Box, Keypoint

__all__ = ["PersonRegions", "person_regions"]

_FACE = ("nose", "left_eye", "right_eye", "left_ear", "right_ear")
_MARGIN = 0.04
_MIN_SIDE = 0.02
_HEAD_OF_BODY, _TRUNK_OF_HEAD = 0.3, 2.2
_SURE_KNEE = 0.4


@dataclass(frozen=True)
class PersonRegions:
    """The parts of a picture that show one person, in fractions of it."""

    person: Box
    head: Box
    torso: Box
    has_head: bool
    """Whether a joint of the face is seen."""
    has_torso: bool
    """Whether the trunk is in view well below the shoulders."""
    has_legs: bool
    """Whether a knee is seen."""


def person_regions(box: Box, pose: BodyPose | None, *, aspect: float) -> PersonRegions:
    """Return the regions of one person.

    Args:
        aspect: width / height of the picture.
    """
    shoulders, hips, face = (_seen(pose, names) for names in (_sides("shoulder"), _sides("hip"), _FACE))
    head = _head(box, shoulders, face, aspect)
    top = fmean(one.y for one in shoulders) if shoulders else head.y + head.h
    reach = top + head.h * _TRUNK_OF_HEAD
    bottom = fmean(one.y for one in hips) if hips else min(box.y + box.h, reach)
    torso = _torso(box, shoulders, top, max(bottom, top + _MIN_SIDE), aspect)
    knees = _seen(pose, _sides("knee"), least=_SURE_KNEE)
    person = Box.from_corners(
        box.x - _MARGIN * box.w, box.y - _MARGIN * box.h,
        box.x + box.w * (1 + _MARGIN), box.y + box.h * (1 + _MARGIN),
    )  # fmt: skip
    has_torso = bool(shoulders) and torso.h >= head.h * 0.5
    return PersonRegions(person, head, torso, bool(face), has_torso, any(knee.y < 1 for knee in knees))


def _head(box: Box, shoulders: Sequence[Keypoint], face: Sequence[Keypoint], aspect: float) -> Box:
    if face and shoulders:
        x, y = fmean(one.x for one in face), fmean(one.y for one in face)
        neck = fmean(one.y for one in shoulders)
        size = max(neck - y, _MIN_SIDE)
        half = size * 1.15 / aspect
        return Box.from_corners(x - half, y - 1.35 * size, x + half, neck + 0.1 * size)
    if shoulders:
        x, neck = fmean(one.x for one in shoulders), fmean(one.y for one in shoulders)
        size = max(neck - box.y, _MIN_SIDE)
        half = size * 0.65 / aspect
        return Box.from_corners(x - half, box.y - 0.08 * size, x + half, neck)
    size = min(box.h * _HEAD_OF_BODY, box.w * 0.9 * aspect)
    half, middle = size * 0.55 / aspect, box.x + box.w / 2
    return Box.from_corners(middle - half, box.y - 0.05 * size, middle + half, box.y + size)


def _torso(box: Box, shoulders: Sequence[Keypoint], top: float, bottom: float, aspect: float) -> Box:
    if len(shoulders) < len(_sides("shoulder")):
        return Box.from_corners(box.x + 0.12 * box.w, top, box.x + 0.88 * box.w, bottom)
    left, right = min(one.x for one in shoulders), max(one.x for one in shoulders)
    # Seen from the side, the shoulders are close together.
    half = 0.65 * max(right - left, (bottom - top) * 0.5 / aspect)
    return Box.from_corners((left + right) / 2 - half, top, (left + right) / 2 + half, bottom)


def _sides(part: str) -> tuple[str, str]:
    return f"left_{part}", f"right_{part}"


def _seen(pose: BodyPose | None, names: Sequence[str], *, least: float = 0.3) -> list[Keypoint]:
    found = [pose.find(name, min_score=least) for name in names] if pose else []
    return [one for one in found if one is not None]
