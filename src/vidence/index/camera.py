"""Camera motion: the global motion between neighbouring frames, from tracked corners."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import hypot
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["CAMERA_ID", "CAMERA_SIZE", "Step", "measure_step", "summarise"]

CAMERA_ID = "camera-lk-affine@1"
CAMERA_SIZE = (192, 108)
"""Size at which frames are compared; enough to measure a two-hundredth of the picture."""

_MAX_CORNERS = 160
_MIN_TRACKED = 12
_MIN_INLIERS = 0.4
_RANSAC_PX = 1.0
_MOVED_PX = 1.5


@dataclass(frozen=True, slots=True)
class Step:
    """The motion from one frame to the next, as fractions of the picture; `reliable` if it was measurable."""

    seconds: float
    dx: float = 0.0
    dy: float = 0.0
    zoom: float = 0.0
    activity: float = 0.0
    reliable: bool = False


def measure_step(older: NDArray[np.uint8], newer: NDArray[np.uint8], seconds: float) -> Step:
    """Estimate the shift and zoom of the whole picture; moving objects are outliers."""
    # OpenCV's stubs do not say so, but a picture without corners gives None.
    corners = cast("NDArray[np.float32] | None", cv2.goodFeaturesToTrack(older, _MAX_CORNERS, 0.01, 5))
    if corners is None or len(corners) < _MIN_TRACKED:
        return Step(seconds)
    tracked, status, _ = cv2.calcOpticalFlowPyrLK(  # type: ignore[call-overload]
        older, newer, corners, None, winSize=(15, 15), maxLevel=2
    )
    kept = status.ravel() == 1
    if int(kept.sum()) < _MIN_TRACKED:
        return Step(seconds)
    before, after = corners[kept].reshape(-1, 2), tracked[kept].reshape(-1, 2)
    matrix, inliers = cv2.estimateAffinePartial2D(before, after, ransacReprojThreshold=_RANSAC_PX)
    if matrix is None or float(inliers.mean()) < _MIN_INLIERS:
        return Step(seconds)
    return _step(matrix, before, after, seconds)


def summarise(steps: list[Step]) -> Step | None:
    """Return the motion per second over several steps; None when too few could be measured."""
    good = [step for step in steps if step.reliable]
    total = sum(step.seconds for step in good)
    if not good or total < 0.5 * sum(step.seconds for step in steps):
        return None
    return Step(
        total,
        sum(step.dx for step in good) / total,
        sum(step.dy for step in good) / total,
        sum(step.zoom for step in good) / total,
        sum(step.activity for step in good) / len(good),
        reliable=True,
    )


def shake(steps: list[Step]) -> float:
    """Return the camera's shake: the mean change of its speed from step to step."""
    good = [step for step in steps if step.reliable and step.seconds > 0]
    speeds = [(step.dx / step.seconds, step.dy / step.seconds) for step in good]
    jumps = [hypot(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(speeds)]
    return float(np.mean(jumps)) if jumps else 0.0


def _step(
    matrix: NDArray[np.float64], before: NDArray[np.float32], after: NDArray[np.float32], seconds: float
) -> Step:
    width, height = CAMERA_SIZE
    scale = hypot(matrix[0, 0], matrix[1, 0])
    # The shift is measured at the centre, which zooming does not move.
    centre = np.array([width / 2, height / 2, 1.0])
    moved = matrix @ centre
    residual = np.linalg.norm(before @ matrix[:, :2].T + matrix[:, 2] - after, axis=1)
    return Step(
        seconds,
        # The picture slides left when the camera pans right.
        dx=float(centre[0] - moved[0]) / width,
        dy=float(centre[1] - moved[1]) / height,
        zoom=scale - 1.0,
        activity=float((residual > _MOVED_PX).mean()),
        reliable=True,
    )
