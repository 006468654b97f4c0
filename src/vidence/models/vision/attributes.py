"""Describe a detected object by its pixels and joints: colours, size, posture."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.models.vision.colours import ColourShare, balance_white, colour_shares
from vidence.schema.perception import BodyPose, Box, Detection, FloatArray, Rgb

__all__ = ["Posture", "SizeClass", "clothing_colours", "describe", "object_colours", "posture", "size_class"]

SizeClass = Literal["small", "medium", "large"]
Posture = Literal["standing", "sitting", "bending", "lying"]

_MIN_SHARE, _MIN_VIVID_SHARE = 0.25, 0.15
"""The share of a region a colour must cover to be named; vivid colours need less."""
_SMALL, _LARGE = 0.02, 0.15
_SIDE = 64
_TALL, _TOP = 1.8, 0.14
_MIN_LIMB = 6.0
_SURE_KNEE = 0.5
_MIN_CHEST, _MAX_CHEST, _ARM = 0.25, 1.2, 0.5
"""The chest patch: least and most height below the shoulders, and width outside them, in shoulder widths."""
_FACE_BELOW = 1.2
_SKIN_SATURATION = 140
_PLAIN = frozenset({"black", "grey", "white", "brown"})
_AROUND, _LIKE_AROUND = 0.3, 0.7
"""Weight of the surrounding colours against the object's; ignored where both look this much alike."""
_SHADED = 0.3
"""Shade makes coloured cloth black, never the reverse: from this share on a colour comes before black."""


def describe(
    image: Rgb, found: Detection, *, pose: BodyPose | None = None, balanced: Rgb | None = None
) -> Mapping[str, str]:
    """Return the attributes of one object that could be determined, by name.

    Args:
        balanced: `balance_white(image)`, when many objects of one picture are described.
    """
    picture = balance_white(image) if balanced is None else balanced
    attributes: dict[str, str] = {"size": size_class(found.box)}
    if found.category != "person":
        colours = object_colours(picture, found.box)
        if colours:
            attributes["color"] = _listed(colours)
        top = _top_colours(picture, found.box)
        return attributes | ({"top_color": _listed(top)} if top else {})
    upper, lower = clothing_colours(picture, found.box, pose=pose)
    if upper:
        attributes["clothing_color"] = _listed(upper)
    if lower:
        attributes["lower_clothing_color"] = _listed(lower)
    stance = posture(pose, aspect=image.shape[1] / image.shape[0]) if pose else None
    return attributes | ({"posture": stance} if stance else {})


def _listed(colours: list[ColourShare]) -> str:
    return " and ".join(share.name for share in colours[:2])


def size_class(box: Box) -> SizeClass:
    """Return the size class of an object by its share of the picture."""
    if box.area < _SMALL:
        return "small"
    return "large" if box.area >= _LARGE else "medium"


def object_colours(image: Rgb, box: Box) -> list[ColourShare]:
    """Return the colours of an object; colours that also surround it count less."""
    oval = (_radius() < 0.7).astype(np.float32)
    inside = colour_shares(_shrunk(box.crop(image)), oval)
    around = {share.name: share.share for share in _ring(image, box)}
    alike = sum(min(share.share, around.get(share.name, 0.0)) for share in inside)
    if alike >= _LIKE_AROUND:
        return _noticed(inside)
    scored = [ColourShare(s.name, max(s.share - _AROUND * around.get(s.name, 0.0), 0.0)) for s in inside]
    total = sum(share.share for share in scored)
    ranked = sorted((ColourShare(s.name, s.share / total) for s in scored), key=lambda s: -s.share)
    # A second colour that covers more around the object than inside is background, as between legs.
    own = {share.name for share in inside if share.share > around.get(share.name, 0.0)} | {ranked[0].name}
    return [share for share in _noticed(ranked) if share.name in own]


def _top_colours(image: Rgb, box: Box) -> list[ColourShare]:
    """Return the colours of the top of a tall object, such as a bottle cap; vivid ones first."""
    if box.h * image.shape[0] < _TALL * box.w * image.shape[1]:
        return []
    top = Box(box.x + box.w * 0.3, box.y, box.w * 0.4, box.h * _TOP)
    shares = _noticed(colour_shares(_shrunk(top.crop(image))))
    return sorted(shares, key=lambda each: each.name in _PLAIN)


def clothing_colours(
    image: Rgb, box: Box, *, pose: BodyPose | None = None
) -> tuple[list[ColourShare], list[ColourShare]]:
    """Return the clothing colours above and below the waist; empty where they cannot be seen."""
    if pose and (torso := _torso(image, pose)) is not None:
        return _garment([torso]), _garment(_thighs(image, pose))
    if pose and (chest := _chest(image, box, pose)) is not None:
        return _garment([chest]), []
    upper = Box(box.x + box.w * 0.28, box.y + box.h * 0.2, box.w * 0.44, box.h * 0.28)
    lower = Box(box.x + box.w * 0.3, box.y + box.h * 0.55, box.w * 0.4, box.h * 0.25)
    if pose and _shows_face(upper, pose):
        # In such a close-up no clothing is visible.
        return [], []
    # A box that is not tall shows only the upper body, or someone sitting.
    patches = (
        [_shrunk(lower.crop(image))]
        if pose is None and box.h * image.shape[0] > box.w * image.shape[1] * 1.8
        else []
    )
    return _garment([_shrunk(upper.crop(image))]), _garment(patches)


def posture(pose: BodyPose, *, aspect: float) -> Posture | None:
    """Return the posture of a person, None when too few joints are seen.

    Args:
        aspect: width / height of the picture the joints are fractions of.
    """
    shoulder, hip, knee = (_middle(pose, part) for part in ("shoulder", "hip", "knee"))
    if shoulder is None or hip is None:
        return None
    dx, dy = (hip[0] - shoulder[0]) * aspect, hip[1] - shoulder[1]
    torso = math.hypot(dx, dy)
    if torso < 1e-3:
        return None
    lean = math.degrees(math.atan2(abs(dx), dy))
    if knee is None:
        return None
    drop = (knee[1] - hip[1]) / torso
    if lean > 60:
        return "lying" if drop < 0.5 else "bending"
    if lean > 40 and drop > 0.5:
        return "bending"
    if drop > 0.55:
        return "standing"
    # Seen from the front, the thighs of a sitting person point at the camera and look short; so do those of
    # a standing person whose knees, hidden by a table, are guessed.
    knees = [pose.find(f"{side}_knee", min_score=_SURE_KNEE) for side in ("left", "right")]
    return "sitting" if any(knees) else None


def _noticed(shares: list[ColourShare]) -> list[ColourShare]:
    return [s for s in shares if s.share >= (_MIN_SHARE if s.name in _PLAIN else _MIN_VIVID_SHARE)]


def _torso(image: Rgb, pose: BodyPose) -> Rgb | None:
    """Return the trunk between shoulders and hips, turned upright, None when it is not seen."""
    shoulder, hip = _middle(pose, "shoulder"), _middle(pose, "hip")
    if shoulder is None or hip is None:
        return None
    left, right = pose.find("left_shoulder"), pose.find("right_shoulder")
    width = abs(left.x - right.x) * image.shape[1] * 0.3 if left and right else 0.0
    return _limb(image, shoulder, hip, width, thickness=0.18)


def _chest(image: Rgb, box: Box, pose: BodyPose) -> Rgb | None:
    """Return the patch below the shoulders when the hips are out of the picture."""
    left, right = pose.find("left_shoulder"), pose.find("right_shoulder")
    if left is None or right is None:
        return None
    height, width = image.shape[:2]
    across = abs(left.x - right.x)
    top, bottom = (left.y + right.y) / 2, min(box.y + box.h, 1.0)
    reach = across * width / height
    if bottom - top < _MIN_CHEST * reach:
        return None
    # Arms hang outside the joints; far below the shoulders hands and tables come into view.
    chest = Box.from_corners(
        max(min(left.x, right.x) - _ARM * across, box.x),
        top,
        min(max(left.x, right.x) + _ARM * across, box.x + box.w),
        min(bottom, top + _MAX_CHEST * reach),
    )
    return _shrunk(chest.crop(image))


def _shows_face(region: Box, pose: BodyPose) -> bool:
    nose = pose.find("nose")
    return nose is not None and region.y <= nose.y <= region.y + region.h * _FACE_BELOW


def _thighs(image: Rgb, pose: BodyPose) -> list[Rgb]:
    """Return each thigh on its own: between two legs there is only background."""
    ends = [(pose.find(f"{side}_hip"), pose.find(f"{side}_knee")) for side in ("left", "right")]
    found = [_limb(image, (a.x, a.y), (b.x, b.y), 0.0, thickness=0.12) for a, b in ends if a and b]
    return [patch for patch in found if patch is not None]


def _limb(
    image: Rgb, start: tuple[float, float], end: tuple[float, float], half: float, *, thickness: float
) -> Rgb | None:
    """Cut out the strip from joint to joint, upright.

    Args:
        half: half its width in pixels, or `thickness` of its length if that is more.
    """
    height, width = image.shape[:2]
    a, b = np.array(start) * [width, height], np.array(end) * [width, height]
    axis = b - a
    length = float(np.hypot(*axis))
    if length < _MIN_LIMB:
        return None
    side = np.array([-axis[1], axis[0]]) / length * max(half, length * thickness)
    top, bottom = a + axis * 0.12, a + axis * 0.88
    source = np.array([top - side, top + side, bottom - side], np.float32)
    target = np.array([[0, 0], [_SIDE, 0], [0, _SIDE]], np.float32)
    matrix = cv2.getAffineTransform(source, target)
    return np.asarray(
        cv2.warpAffine(image, matrix, (_SIDE, _SIDE), borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def _garment(patches: list[Rgb]) -> list[ColourShare]:
    if not patches:
        return []
    cloth = np.concatenate(patches)
    weights = np.tile(_middle_weights(), (len(patches), 1))
    skin = _skin(cloth)
    if skin.mean() < 0.6:
        weights = weights * np.where(skin, np.float32(0.1), np.float32(1))
    return _unshaded(_noticed(colour_shares(cloth, weights)))


def _unshaded(shares: list[ColourShare]) -> list[ColourShare]:
    """Put a vivid colour before black where black may be its shade."""
    if not shares or shares[0].name != "black":
        return shares
    return sorted(shares, key=lambda each: each.name in _PLAIN or each.share < _SHADED)


def _skin(patch: Rgb) -> NDArray[np.bool_]:
    ycrcb = cv2.cvtColor(patch, cv2.COLOR_RGB2YCrCb)
    toned = cv2.inRange(ycrcb, np.array([60, 138, 85]), np.array([240, 172, 125])) > 0
    # An orange shirt has the hue of skin but is far more saturated.
    dull = cv2.cvtColor(patch, cv2.COLOR_RGB2HSV)[..., 1] < _SKIN_SATURATION
    return np.asarray(toned & dull)


def _shrunk(region: Rgb) -> Rgb:
    return np.asarray(cv2.resize(region, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA), np.uint8)


def _radius() -> FloatArray:
    line = np.linspace(-1, 1, _SIDE, dtype=np.float32)
    return np.asarray(line[:, None] ** 2 + line[None] ** 2, np.float32)


def _middle_weights() -> FloatArray:
    return np.asarray(np.exp(-_radius()), np.float32)


def _ring(image: Rgb, box: Box) -> list[ColourShare]:
    """Return the colours just outside a box."""
    outer = Box.from_corners(
        box.x - box.w * 0.2, box.y - box.h * 0.2, box.x + box.w * 1.2, box.y + box.h * 1.2
    )
    patch = _shrunk(outer.crop(image))
    weights = np.ones((_SIDE, _SIDE), np.float32)
    left, top, right, bottom = Box(
        (box.x - outer.x) / outer.w, (box.y - outer.y) / outer.h, box.w / outer.w, box.h / outer.h
    ).pixels(_SIDE, _SIDE)
    weights[top:bottom, left:right] = 0
    return colour_shares(patch, weights)


def _middle(pose: BodyPose | None, part: str) -> tuple[float, float] | None:
    sides = [pose.find(f"{side}_{part}") for side in ("left", "right")] if pose else []
    seen = [point for point in sides if point]
    if not seen:
        return None
    return sum(p.x for p in seen) / len(seen), sum(p.y for p in seen) / len(seen)
