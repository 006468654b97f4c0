"""How close the camera is: from how tall a person would stand in the picture, else from the main object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import hypot
from typing import Literal

from vidence.language.categories import categories
from vidence.schema.perception import BodyPose, Detection

__all__ = ["CameraAngle", "camera_angle"]

CameraAngle = Literal["close_up", "medium_shot", "full_shot", "long_shot"]

_SURE, _SURE_THING = 0.4, 0.6
"""People are seldom mistaken for something else; things in a landscape are."""
_SHOULDERS, _TORSO = 0.24, 0.29
"""Widths of the shoulders and length of the trunk, in body heights."""
_CLOSE, _MEDIUM, _FULL = 2.6, 1.15, 0.6
"""Body heights that would fit the frame height: head and shoulders, to the waist, head to foot."""
_BIG_AREA, _MIDDLING_AREA, _HUGE_AREA = 0.3, 0.06, 0.6
_LARGE_ANIMALS = frozenset({"horse", "cow", "elephant", "bear", "zebra", "giraffe"})
_VISTAS = ("alp", "valley", "seashore", "lakeside", "volcano", "promontory", "cliff", "rapeseed", "hay")


def camera_angle(
    objects: Sequence[Detection],
    pose: BodyPose | None,
    *,
    aspect: float,
    labels: Mapping[str, float],
    sky: float,
) -> CameraAngle | None:
    """Name the framing; None when nothing in the picture has a known size.

    Args:
        pose: joints of the largest person.
        aspect: width / height of the picture.
    """
    people = [one for one in objects if one.category == "person" and one.confidence >= _SURE]
    others = [one for one in objects if one.category != "person" and one.confidence >= _SURE_THING]
    if people:
        return _by_height(_body_height(max(people, key=lambda one: one.box.area), pose, aspect))
    if others:
        return _by_area(max(others, key=lambda one: one.box.area))
    if sky > 0.15 or any(labels.get(name, 0.0) > 0.1 for name in _VISTAS):
        return "long_shot"
    return None


def _by_area(main: Detection) -> CameraAngle:
    """Name the framing of a thing; what is as large as a person is not close by for filling the picture."""
    area = main.box.area
    if main.category in _large():
        return "medium_shot" if area >= _HUGE_AREA else "full_shot" if area >= _MIDDLING_AREA else "long_shot"
    return "close_up" if area >= _BIG_AREA else "medium_shot" if area >= _MIDDLING_AREA else "long_shot"


@lru_cache(maxsize=1)
def _large() -> frozenset[str]:
    vehicles = {category.name for category in categories().values() if category.group == "vehicle"}
    return _LARGE_ANIMALS | vehicles


def _by_height(height: float) -> CameraAngle:
    if height >= _CLOSE:
        return "close_up"
    if height >= _MEDIUM:
        return "medium_shot"
    return "full_shot" if height >= _FULL else "long_shot"


def _body_height(person: Detection, pose: BodyPose | None, aspect: float) -> float:
    """Return how tall the whole person would be, in picture heights, though part may be out of it."""
    box = person.box
    if pose is not None and pose.find("left_ankle") and pose.find("right_ankle"):
        return box.h
    guesses = [box.h]
    if pose is not None:
        left, right = pose.find("left_shoulder"), pose.find("right_shoulder")
        if left and right:
            guesses.append(hypot((left.x - right.x) * aspect, left.y - right.y) / _SHOULDERS)
        for side in ("left", "right"):
            shoulder, hip = pose.find(f"{side}_shoulder"), pose.find(f"{side}_hip")
            if shoulder and hip and hip.y < 0.98:
                guesses.append(hypot((shoulder.x - hip.x) * aspect, shoulder.y - hip.y) / _TORSO)
    # Turned shoulders and bent trunks look short, never long.
    return max(guesses)
