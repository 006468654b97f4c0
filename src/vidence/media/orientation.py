"""Which way up a picture is shown: the display matrix read as quarter turns and a mirror."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
from av.sidedata.sidedata import SideData, Type
from av.video.frame import VideoFrame
from numpy.typing import NDArray

__all__ = ["UPRIGHT", "Orientation", "orientation_of"]

Degrees = Literal[0, 90, 180, 270]

# (transposed, flipped left-right, flipped top-bottom) → quarter turns clockwise, then mirrored left-right.
_TURNS: dict[tuple[bool, bool, bool], tuple[Degrees, bool]] = {
    (False, False, False): (0, False),
    (False, True, True): (180, False),
    (False, True, False): (0, True),
    (False, False, True): (180, True),
    (True, True, False): (90, False),
    (True, False, True): (270, False),
    (True, False, False): (90, True),
    (True, True, True): (270, True),
}


@dataclass(frozen=True, slots=True)
class Orientation:
    """How a player turns the coded picture: clockwise by `rotation`, then mirrored left to right."""

    rotation: Degrees = 0
    mirrored: bool = False

    @property
    def sideways(self) -> bool:
        """Whether width and height change places."""
        return self.rotation in (90, 270)

    def apply(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return `image` the right way up, as one contiguous block."""
        if self.rotation:
            image = np.rot90(image, k=-self.rotation // 90)
        if self.mirrored:
            image = image[:, ::-1]
        return np.ascontiguousarray(image)


UPRIGHT = Orientation()


def orientation_of(frame: VideoFrame) -> Orientation:
    """Read the orientation a decoded frame carries."""
    # PyAV's stubs call the container a TypedDict; it iterates over its values.
    for data in cast("Iterable[SideData]", frame.side_data):
        if data.type is Type.DISPLAYMATRIX:
            return _from_matrix(bytes(data))
    return UPRIGHT


def _from_matrix(raw: bytes) -> Orientation:
    if len(raw) < 36:
        return UPRIGHT
    # Coded (x, y) is shown at (a·x + c·y, b·x + d·y).
    a, b, _, c, d, *_ = struct.unpack("=9i", raw[:36])
    if a == b == c == d == 0:
        return UPRIGHT
    transposed = abs(b) + abs(c) > abs(a) + abs(d)
    flip_x, flip_y = (c < 0, b < 0) if transposed else (a < 0, d < 0)
    rotation, mirrored = _TURNS[transposed, flip_x, flip_y]
    return Orientation(rotation, mirrored)
