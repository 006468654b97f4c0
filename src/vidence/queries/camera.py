"""How the camera sees one moment: how it moves, judged by the background, and how close it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import hypot
from typing import Literal, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.language.categories import categories
from vidence.schema.perception import BodyPose, Detection, FloatArray

__all__ = [
    "CAMERA_FRAME",
    "CAMERA_MOTION_ID",
    "CameraAngle",
    "CameraMotion",
    "CameraPath",
    "camera_angle",
    "camera_path",
    "name_motion",
]

CameraAngle = Literal["close_up", "medium_shot", "full_shot", "long_shot"]
CameraMotion = Literal["static", "pan", "tilt", "zoom", "tracking", "handheld"]

CAMERA_MOTION_ID = "camera-cells@2"
CAMERA_FRAME = (320, 180)
"""Width and height the frames are compared at."""

_CELLS = (6, 4)
_MIN_CELLS = 5
_STILL_PX = 0.35
_STILL_SHARE = 0.5
_RANSAC_PX = 1.5
_NOT_BLANK, _SAME = 4.0, 0.35
_MIN_AGREE = 0.5
_NO_MOTION = np.eye(2, 3)
_EDGES = [
    row * _CELLS[0] + column
    for row in range(_CELLS[1] - 1)
    for column in range(_CELLS[0])
    if row == 0 or column in (0, _CELLS[0] - 1)
]
"""Cells along the top and the sides."""

_MOVES = 0.012
"""Least speed of a steady motion, in picture sizes a second."""
_ZOOMS = 0.012
_SHAKES = 0.02
_FOLLOWS = 0.35

_SURE, _SURE_THING = 0.4, 0.6
"""People are seldom mistaken for something else; things in a landscape are."""
_SHOULDERS, _TORSO = 0.24, 0.29
"""Widths of the shoulders and length of the trunk, in body heights."""
_CLOSE, _MEDIUM, _FULL = 2.6, 1.15, 0.6
"""Body heights that would fit the frame height: head and shoulders, to the waist, head to foot."""
_BIG_AREA, _MIDDLING_AREA, _HUGE_AREA = 0.3, 0.06, 0.6
_LARGE_ANIMALS = frozenset({"horse", "cow", "elephant", "bear", "zebra", "giraffe"})
_VISTAS = ("alp", "valley", "seashore", "lakeside", "volcano", "promontory", "cliff", "rapeseed", "hay")


@dataclass(frozen=True)
class CameraPath:
    """The camera's motion per second over a span: to the right, downward, and growth of the picture."""

    dx: float
    dy: float
    zoom: float
    shake: float
    """Median change of the speed from step to step."""
    still: float
    """Share of the steps in which the background stood still."""


def camera_path(frames: Sequence[tuple[float, NDArray[np.uint8]]]) -> CameraPath | None:
    """Return the motion over (time, grey picture) pairs; None when too little could be measured."""
    steps = [
        step
        for (before_s, before), (after_s, after) in pairwise(frames)
        if (step := _step(before, after, after_s - before_s)) is not None
    ]
    if not steps or len(steps) < 0.4 * (len(frames) - 1):
        return None
    table = np.array(steps, np.float32)
    jumps = np.abs(np.diff(table[:, :2], axis=0)).sum(axis=1)
    return CameraPath(
        dx=float(np.median(table[:, 0])),
        dy=float(np.median(table[:, 1])),
        zoom=float(np.median(table[:, 2])),
        shake=float(np.median(jumps)) if len(jumps) else 0.0,
        still=float((np.abs(table).sum(axis=1) == 0).mean()),
    )


def name_motion(path: CameraPath, *, subject_shift: float | None = None) -> CameraMotion:
    """Name the motion.

    Args:
        subject_shift: how far the main subject moves in the picture a second; a subject that stays in place
            while the background moves is being tracked.
    """
    speed = hypot(path.dx, path.dy)
    if path.still >= 0.6:
        return "static"
    if path.shake > _SHAKES and path.shake > 1.2 * max(speed, abs(path.zoom) / 2):
        return "handheld"
    # Zooms are seldom centred, so they come with some drift of their own.
    if abs(path.zoom) >= _ZOOMS and abs(path.zoom) > 0.8 * speed:
        return "zoom"
    if speed < _MOVES:
        return "handheld" if path.shake > _SHAKES else "static"
    if subject_shift is not None and subject_shift < _FOLLOWS * speed and speed > 4 * _MOVES:
        return "tracking"
    return "pan" if abs(path.dx) >= abs(path.dy) else "tilt"


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


def _step(
    before: NDArray[np.uint8], after: NDArray[np.uint8], seconds: float
) -> tuple[float, float, float] | None:
    """Return (right, down, growth) per second; None across cuts and without texture."""
    if seconds <= 0:
        return None
    # Few corners are no trouble where nothing at all changes, as on a title card.
    if before.std() > _NOT_BLANK and float(cv2.absdiff(before, after).mean()) < _SAME:
        return 0.0, 0.0, 0.0
    points = _corners(before)
    if points is None:
        return None
    moved, status, _ = cv2.calcOpticalFlowPyrLK(  # type: ignore[call-overload]
        before, after, points, None, winSize=(17, 17), maxLevel=3
    )
    kept = status.ravel() == 1
    start, end = points.reshape(-1, 2)[kept], moved.reshape(-1, 2)[kept]
    cells = _cells(start)
    if len(np.unique(cells)) < _MIN_CELLS or kept.mean() < 0.5:
        return None
    found = _agreed(start, end, cells)
    if found is None:
        # People who fill the middle outvote the background; at the edges of the picture they seldom do.
        edge = np.isin(cells, _EDGES)
        if len(np.unique(cells[edge])) < _MIN_CELLS:
            return None
        found = _agreed(start[edge], end[edge], cells[edge])
    return None if found is None else _motion(found, seconds)


def _agreed(start: FloatArray, end: FloatArray, cells: NDArray[np.intp]) -> NDArray[np.float64] | None:
    """Return the motion that most of the cells share; None when they do not agree."""
    if _share(cells, np.hypot(*(end - start).T) < _STILL_PX) >= _STILL_SHARE:
        return _NO_MOTION
    fitted = cv2.estimateAffinePartial2D(start, end, ransacReprojThreshold=_RANSAC_PX)
    # OpenCV's stubs do not say so, but where nothing fits there is no matrix.
    matrix = cast("NDArray[np.float64] | None", fitted[0])
    if matrix is None:
        return None
    residual = np.hypot(*(start @ matrix[:, :2].T + matrix[:, 2] - end).T)
    return matrix if _share(cells, residual < _RANSAC_PX) >= _MIN_AGREE else None


def _motion(matrix: NDArray[np.float64], seconds: float) -> tuple[float, float, float]:
    width, height = CAMERA_FRAME
    # The shift is read at the picture's middle, where zooming moves nothing.
    middle = np.array([width / 2, height / 2])
    moved = matrix[:, :2] @ middle + matrix[:, 2]
    growth = hypot(matrix[0, 0], matrix[1, 0]) - 1.0
    right, down = (middle - moved) / (width, height)
    return float(right) / seconds, float(down) / seconds, growth / seconds


def _corners(gray: NDArray[np.uint8]) -> FloatArray | None:
    """Return corners spread over the picture, so that no textured object outvotes the background."""
    width, height = CAMERA_FRAME
    found = []
    for row in range(_CELLS[1]):
        for column in range(_CELLS[0]):
            left, top = column * width // _CELLS[0], row * height // _CELLS[1]
            cell = gray[top : top + height // _CELLS[1], left : left + width // _CELLS[0]]
            # OpenCV's stubs do not say so, but a cell without corners gives None.
            corners = cast("FloatArray | None", cv2.goodFeaturesToTrack(cell, 8, 0.05, 4))
            if corners is not None and cell.std() > 2.5:
                found.append(corners.reshape(-1, 2) + np.array([left, top], np.float32))
    return np.concatenate(found)[:, None].astype(np.float32) if len(found) >= _MIN_CELLS else None


def _cells(points: FloatArray) -> NDArray[np.intp]:
    width, height = CAMERA_FRAME
    columns = np.clip(points[:, 0] * _CELLS[0] / width, 0, _CELLS[0] - 1).astype(np.intp)
    rows = np.clip(points[:, 1] * _CELLS[1] / height, 0, _CELLS[1] - 1).astype(np.intp)
    return np.asarray(rows * _CELLS[0] + columns, np.intp)


def _share(cells: NDArray[np.intp], holds: NDArray[np.bool_]) -> float:
    """Return the share of cells in which `holds` for most corners."""
    return float(np.mean([holds[cells == cell].mean() > 0.5 for cell in np.unique(cells)]))


def _by_area(main: Detection) -> CameraAngle:
    """Name the framing of an object; large animals and vehicles fill the picture without being close."""
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
    """Estimate the height of the whole person, in picture heights, even if partly outside the picture."""
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
