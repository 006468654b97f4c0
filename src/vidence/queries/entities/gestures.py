"""What the joints of people show about another: an embrace, and the direction of a face."""

from __future__ import annotations

from math import hypot

from vidence.schema.perception import BodyPose, Box, Keypoint

__all__ = ["is_hugging", "looks_at"]

_CLOSE = 1.5
"""Necks nearer than this many shoulder widths are as near as an embrace brings them."""
_MARGIN = 0.35
"""How far a hand may lie outside a torso and still be on it, in shoulder widths."""
_TURNED = 0.25
"""The nose lies this far from the middle of the ears, in widths between them, when a head is turned."""
_STEEP = 1.0
"""A face turned to the side looks at what lies within 45 degrees above or below it."""


def is_hugging(first: BodyPose, second: BodyPose, *, aspect: float) -> bool | None:
    """Tell whether two people have their arms around each other; None where their joints are not seen."""
    torsos = _torso(first, aspect), _torso(second, aspect)
    if torsos[0] is None or torsos[1] is None:
        return None
    (neck_1, width_1), (neck_2, width_2) = ((_neck(torso), torso[2] - torso[0]) for torso in torsos if torso)
    width = max(width_1, width_2)
    if hypot(neck_1[0] - neck_2[0], neck_1[1] - neck_2[1]) > _CLOSE * width:
        return False
    reaching = _hands_on(first, torsos[1], width, aspect), _hands_on(second, torsos[0], width, aspect)
    if None in reaching:
        return None
    return all(reaching) or max(number or 0 for number in reaching) == 2


def looks_at(person: BodyPose, target: Box, *, aspect: float) -> bool | None:
    """Tell whether a face is turned towards a box; None where the face is not seen or faces the camera."""
    nose, ears = person.find("nose"), [person.find(f"{side}_ear") for side in ("left", "right")]
    seen = [ear for ear in ears if ear is not None]
    if nose is None or not seen:
        return None
    if len(seen) == 2:
        between = abs(seen[0].x - seen[1].x) or 1e-6
        turned = (nose.x - (seen[0].x + seen[1].x) / 2) / between
        if abs(turned) < _TURNED:
            return None
    else:
        turned = nose.x - seen[0].x
    across = (target.centre[0] - nose.x) * aspect
    # The nearest part of the other is looked at, whether it is a face or a thing on a table.
    along = max(target.y - nose.y, nose.y - target.y - target.h, 0.0)
    return across * turned > 0 and along <= _STEEP * abs(across)


def _torso(pose: BodyPose, aspect: float) -> tuple[float, float, float, float] | None:
    """Return left, top, right and bottom of the shoulders and hips, in heights of the picture."""
    shoulders = [pose.find(f"{side}_shoulder") for side in ("left", "right")]
    hips = [point for side in ("left", "right") if (point := pose.find(f"{side}_hip")) is not None]
    seen = [point for point in shoulders if point is not None]
    if not seen or len(seen) + len(hips) < 2:
        return None
    points = [_at(point, aspect) for point in (*seen, *hips)]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    top, bottom = min(y for _, y in points), max(y for _, y in points)
    # Seen from the side the shoulders cover each other; a torso is at least half as wide as it is high.
    spare = max((bottom - top) / 2 - (right - left), 0.0) / 2
    return left - spare, top, right + spare, bottom


def _neck(torso: tuple[float, float, float, float]) -> tuple[float, float]:
    return (torso[0] + torso[2]) / 2, torso[1]


def _hands_on(
    pose: BodyPose, torso: tuple[float, float, float, float] | None, width: float, aspect: float
) -> int | None:
    """Return how many hands of a person lie on a torso; None where neither hand nor elbow is seen."""
    assert torso is not None
    left, top, right, bottom = torso
    arms = [pose.find(f"{side}_wrist") or pose.find(f"{side}_elbow") for side in ("left", "right")]
    seen = [_at(arm, aspect) for arm in arms if arm is not None]
    if not seen:
        return None
    margin = _MARGIN * width
    return sum(left - margin <= x <= right + margin and top - margin <= y <= bottom + margin for x, y in seen)


def _at(point: Keypoint, aspect: float) -> tuple[float, float]:
    return point.x * aspect, point.y
