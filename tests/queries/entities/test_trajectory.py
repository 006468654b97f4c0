"""Paths are put into the seed's words."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, sin

import numpy as np
import pytest

from vidence.queries.entities.trajectory import average_box, camera_offset, describe_trajectory
from vidence.schema.entities import TrackPoint
from vidence.schema.observations import MotionSeen

Path = Callable[[float], tuple[float, float, float]]
"""From a share of the time to the middle of the box and its height."""


def _points(path: Path, *, count: int = 20) -> list[TrackPoint]:
    found = []
    for share in np.linspace(0, 1, count):
        x, y, height = path(float(share))
        width = height / 3
        found.append(TrackPoint(4 * float(share), x - width / 2, y - height / 2, width, height, 0.9))
    return found


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (lambda s: (0.5 + 0.005 * sin(20 * s), 0.5, 0.4), "stationary in center"),
        (lambda s: (0.15, 0.5, 0.4), "stationary on the left"),
        (lambda s: (0.9, 0.5, 0.2), "stationary on the right"),
        (lambda s: (0.1 + 0.7 * s, 0.5, 0.4), "moving left to right"),
        (lambda s: (0.8 - 0.6 * s, 0.5 + 0.05 * s, 0.4), "moving right to left"),
        (lambda s: (0.5, 0.2 + 0.5 * s, 0.2), "moving top to bottom"),
        (lambda s: (0.5, 0.8 - 0.5 * s, 0.2), "moving bottom to top"),
        (lambda s: (0.5, 0.5, 0.2 + 0.4 * s), "approaching camera"),
        (lambda s: (0.5 + 0.02 * s, 0.5, 0.6 - 0.4 * s), "moving away from camera"),
        (lambda s: (0.5 + 0.25 * cos(2 * pi * s), 0.5 + 0.25 * sin(2 * pi * s), 0.2), "circular motion"),
        (lambda s: (0.5 + 0.3 * sin(9 * s), 0.5 + 0.2 * cos(31 * s), 0.2), "erratic motion"),
    ],
)
def test_a_path_has_its_words(path: Path, words: str) -> None:
    assert describe_trajectory(_points(path), aspect=1.0) == words


def test_a_single_sighting_is_stationary() -> None:
    assert (
        describe_trajectory(_points(lambda s: (0.5, 0.5, 0.4), count=1), aspect=1.0) == "stationary in center"
    )


def test_who_is_followed_by_the_camera_moves_all_the_same() -> None:
    pan = [
        MotionSeen(start_time=t, end_time=t + 1, dx=0.2, dy=0, zoom=0, shake=0, activity=0)
        for t in range(4)
    ]  # fmt: skip
    still = _points(lambda s: (0.5, 0.5, 0.4))
    assert describe_trajectory(still, aspect=1.0, camera=camera_offset(pan)) == "moving left to right"


def test_the_average_box_is_the_mean() -> None:
    points = [TrackPoint(0, 0.1, 0.2, 0.2, 0.4, 1), TrackPoint(1, 0.3, 0.2, 0.2, 0.6, 1)]
    assert average_box(points) == (0.2, 0.2, 0.2, 0.5)
