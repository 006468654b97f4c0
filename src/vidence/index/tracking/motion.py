"""A Kalman filter for one box: its place, speed and their uncertainty."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vidence.schema.perception import Box

__all__ = ["BoxMotion", "CameraStep"]

_PLACE_NOISE = 0.25
"""Standard deviation of a box's place after a second, in its own heights."""
_SPEED_NOISE = 0.6
"""Standard deviation of its speed after a second, in heights a second."""
_SIZE_NOISE = 0.35
_SEEN_NOISE = 0.2
"""Standard deviation of a detected box from the truth, in heights."""
_FIRST_SPEED = 1.0


class CameraStep:
    """The camera's motion since the last frame: the picture's shift, and its growth about the centre."""

    __slots__ = ("dx", "dy", "zoom")

    def __init__(self, dx: float = 0.0, dy: float = 0.0, zoom: float = 0.0) -> None:
        self.dx, self.dy, self.zoom = dx, dy, zoom


class BoxMotion:
    """Constant speed for the middle of the box, a slow drift for its size.

    Widths are measured in picture heights (`aspect` = width / height), so that one noise fits both axes, and
    both axes share one covariance.
    """

    __slots__ = ("_aspect", "_cov", "_place", "_size", "_size_var", "_speed")

    def __init__(self, box: Box, *, aspect: float) -> None:
        self._aspect = aspect
        self._place, self._size = self._measure(box)
        self._speed = np.zeros(2)
        height = self._size[1]
        self._cov = np.diag([(_SEEN_NOISE * height) ** 2, (_FIRST_SPEED * height) ** 2])
        self._size_var = (_SEEN_NOISE * height) ** 2

    @property
    def box(self) -> Box:
        """The estimated box; it may reach out of the picture."""
        x, y = self._place - self._size / 2
        return Box(x / self._aspect, y, self._size[0] / self._aspect, self._size[1])

    @property
    def speed(self) -> float:
        """Its speed, in its own widths a second."""
        return float(np.hypot(*self._speed) / max(self._size[0], 1e-6))

    def predict(self, seconds: float, camera: CameraStep | None = None) -> None:
        """Move on in time, compensating the camera's motion."""
        if camera is not None:
            self._follow(camera)
        height = self._size[1]
        self._place = self._place + self._speed * seconds
        step = np.array([[1.0, seconds], [0.0, 1.0]])
        self._cov = step @ self._cov @ step.T
        self._cov[0, 0] += (_PLACE_NOISE * height) ** 2 * seconds
        self._cov[1, 1] += (_SPEED_NOISE * height) ** 2 * seconds
        self._size_var += (_SIZE_NOISE * height) ** 2 * seconds

    def correct(self, box: Box, *, confidence: float = 0.5) -> None:
        """Correct by a detected box; a less confident one moves it less."""
        place, size = self._measure(box)
        noise = (_SEEN_NOISE * self._size[1]) ** 2 * (2.0 - 1.5 * confidence)
        gain = self._cov[:, 0] / (self._cov[0, 0] + noise)
        error = place - self._place
        self._place = self._place + gain[0] * error
        self._speed = self._speed + gain[1] * error
        self._cov = self._cov - np.outer(gain, self._cov[0])
        trust = self._size_var / (self._size_var + noise)
        self._size = self._size + trust * (size - self._size)
        self._size_var *= 1 - trust

    def _follow(self, camera: CameraStep) -> None:
        middle = np.array([self._aspect / 2, 0.5])
        scale = 1.0 + camera.zoom
        shift = np.array([camera.dx * self._aspect, camera.dy])
        self._place = middle + (self._place - middle) * scale - shift
        self._speed, self._size = self._speed * scale, self._size * scale

    def _measure(self, box: Box) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        x, y = box.centre
        return np.array([x * self._aspect, y]), np.array([max(box.w * self._aspect, 1e-4), max(box.h, 1e-4)])
