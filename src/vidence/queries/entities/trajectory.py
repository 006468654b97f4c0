"""How an object moves while it is visible, in a few words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import atan2, degrees, log

import numpy as np
from numpy.typing import NDArray

from vidence.schema.entities import TrackPoint
from vidence.schema.observations import MotionSeen, NormalBox

__all__ = ["CameraOffset", "average_box", "camera_offset", "describe_trajectory"]

_SAMPLES = 24
_STILL = 0.3
"""An object that moves less than this from its mean place, in its own heights, is stationary."""
_LEAST_MOVE = 0.04
_GROWTH = 0.4
"""Log growth of the box from which the object approaches or moves away: about 1.5 times its size."""
_STRAIGHT = 0.45
_CIRCLE_TURN = 300.0
_CIRCLE_NET = 0.45

CameraOffset = Callable[[float], tuple[float, float]]


def describe_trajectory(
    points: Sequence[TrackPoint], *, aspect: float, camera: CameraOffset | None = None
) -> str:
    """Return one of the seed's phrases; camera motion is subtracted, so a followed object still moves."""
    path, heights = _path(points, aspect, camera)
    size = float(np.median(heights))
    reach = float(np.linalg.norm(path - path.mean(axis=0), axis=1).max())
    growth = log(max(float(heights[-3:].mean()), 1e-6) / max(float(heights[:3].mean()), 1e-6))
    depth = "approaching camera" if growth > 0 else "moving away from camera"
    if reach < max(_STILL * size, _LEAST_MOVE):
        return depth if abs(growth) >= _GROWTH else f"stationary {_where(points)}"
    steps = np.diff(path, axis=0)
    length = float(np.linalg.norm(steps, axis=1).sum())
    net = path[-1] - path[0]
    gone = float(np.linalg.norm(net))
    if gone < _CIRCLE_NET * 2 * reach and abs(_turn(steps)) >= _CIRCLE_TURN:
        return "circular motion"
    if abs(growth) >= _GROWTH and abs(growth) * size >= 0.5 * gone:
        return depth
    if gone < _STRAIGHT * length:
        return "erratic motion"
    return _direction(net)


def average_box(points: Sequence[TrackPoint]) -> NormalBox:
    """Return the mean place and size."""
    x, y, w, h = (round(float(value), 4) for value in np.mean([point.bbox for point in points], axis=0))
    return x, y, w, h


def camera_offset(motion: Sequence[MotionSeen]) -> CameraOffset:
    """Return a function from time to how far the camera has panned and tilted, in picture fractions."""
    times, right, down = [0.0], [0.0], [0.0]
    for row in motion:
        seconds = row.end_time - row.start_time
        times.append(row.end_time)
        right.append(right[-1] + (row.dx * seconds if row.reliable else 0.0))
        down.append(down[-1] + (row.dy * seconds if row.reliable else 0.0))

    def moved(time_s: float) -> tuple[float, float]:
        return float(np.interp(time_s, times, right)), float(np.interp(time_s, times, down))

    return moved


def _path(
    points: Sequence[TrackPoint], aspect: float, camera: CameraOffset | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return evenly spaced places in picture heights, smoothed, and the heights of the box."""
    times = np.array([point.time_s for point in points])
    shifts = np.array([camera(point.time_s) if camera else (0.0, 0.0) for point in points])
    centres = np.array([(p.x + p.w / 2, p.y + p.h / 2) for p in points]) + shifts
    even = np.linspace(times[0], times[-1], _SAMPLES)
    across = _smooth(np.interp(even, times, centres[:, 0])) * aspect
    along = _smooth(np.interp(even, times, centres[:, 1]))
    heights = _smooth(np.interp(even, times, [point.h for point in points]))
    return np.stack([across, along], axis=1), heights


def _smooth(values: NDArray[np.float64]) -> NDArray[np.float64]:
    padded = np.pad(values, 2, mode="edge")
    return np.convolve(padded, np.full(5, 0.2), mode="valid")


def _turn(steps: NDArray[np.float64]) -> float:
    """Return the net turn of the path in degrees."""
    moving = steps[np.linalg.norm(steps, axis=1) > 1e-4]
    angles = [degrees(atan2(step[1], step[0])) for step in moving]
    return float(sum((b - a + 180) % 360 - 180 for a, b in pairwise(angles)))


def _direction(net: NDArray[np.float64]) -> str:
    if abs(net[0]) >= abs(net[1]):
        return "moving left to right" if net[0] > 0 else "moving right to left"
    return "moving top to bottom" if net[1] > 0 else "moving bottom to top"


def _where(points: Sequence[TrackPoint]) -> str:
    x, _, w, _ = average_box(points)
    middle = x + w / 2
    return "on the left" if middle < 1 / 3 else "on the right" if middle > 2 / 3 else "in center"
