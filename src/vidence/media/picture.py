"""One decoded frame, turned into pixels only when and at the size asked for."""

from __future__ import annotations

import struct
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, cast

import numpy as np
from av.error import FFmpegError
from av.sidedata.sidedata import SideData, Type
from av.video.frame import VideoFrame
from av.video.reformatter import Interpolation, VideoReformatter
from numpy.typing import NDArray

from vidence.errors import DamagedMedia, UserError

__all__ = ["UPRIGHT", "Colours", "DecodedFrame", "Orientation", "Scaler", "orientation_of"]

_CACHED_SCALERS = 8
_HD_WIDTH, _HD_HEIGHT = 1280, 720

# AVColorSpace numbers that swscale converts; the rest are folded onto the nearest of them.
_BT709, _FCC, _SMPTE170M, _SMPTE240M, _BT2020 = 1, 4, 6, 7, 9
_SPACES = {
    _BT709: _BT709,
    _FCC: _FCC,
    5: _SMPTE170M,
    6: _SMPTE170M,
    7: _SMPTE240M,
    9: _BT2020,
    10: _BT2020,
}
_UNSPECIFIED = 2
_LIMITED_RANGE, _FULL_RANGE = 1, 2
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


@dataclass(frozen=True, slots=True)
class Colours:
    """How a stream's YUV values mean colours.

    Taken from the first frame for the whole stream: decoders go on reporting the last tags they met, so
    with changing tags a frame's colours would depend on how it was reached.
    """

    space: int
    full_range: bool

    @classmethod
    def of(cls, frame: VideoFrame) -> Colours:
        """Read the frame's tags; untagged video is BT.709 from HD up and BT.601 below, as players assume."""
        guess = _BT709 if frame.height >= _HD_HEIGHT or frame.width >= _HD_WIDTH else _SMPTE170M
        # Untagged greyscale spans the full range, as libav's own converters take it.
        full = (
            _FULL_RANGE
            if not frame.color_range and frame.format.name.startswith("gray")
            else frame.color_range
        )
        return cls(_SPACES.get(frame.colorspace, guess), full == _FULL_RANGE)

    def settle(self, frame: VideoFrame) -> None:
        """Write the tags the conversion will use into the frame.

        PyAV rewrites tags while it converts and puts them back after. With the final values already there,
        two threads converting the same frame write the same values and cannot disturb each other.
        """
        if not frame.format.is_rgb:
            frame.colorspace = self.space
            full = self.full_range or frame.format.name.startswith("yuvj")
            frame.color_range = _FULL_RANGE if full else _LIMITED_RANGE
        frame.color_trc = _UNSPECIFIED
        frame.color_primaries = _UNSPECIFIED


@dataclass(frozen=True, slots=True)
class Scaler:
    """Converts and resizes a stream's frames in a single swscale step, upright and with square pixels."""

    orientation: Orientation = UPRIGHT
    pixel_aspect: Fraction = Fraction(1)
    colours: Colours | None = None
    """How to read the frames' colours; None reads each frame's own tags."""
    _local: threading.local = field(default_factory=threading.local, repr=False)

    def natural_size(self, width: int, height: int) -> tuple[int, int]:
        """Return the (width, height) a frame coded at the given size is shown at."""
        width = max(1, round(width * self.pixel_aspect))
        return (height, width) if self.orientation.sideways else (width, height)

    def convert(self, frame: VideoFrame, size: tuple[int, int], pixel_format: str) -> NDArray[np.uint8]:
        """Return the frame's pixels at `size`, upright, in `rgb24` or `gray`."""
        width, height = size[::-1] if self.orientation.sideways else size
        shrinks = width * height < frame.width * frame.height
        try:
            scaled = self._reformatter(frame, width, height, pixel_format).reformat(
                frame,
                width=width,
                height=height,
                format=pixel_format,
                interpolation=Interpolation.AREA if shrinks else Interpolation.BICUBIC,
                threads=1,
            )
        except (FFmpegError, ValueError) as exc:
            raise DamagedMedia(
                f"A {frame.format.name} frame could not be converted to {pixel_format}: {exc}."
            ) from exc
        return self.orientation.apply(cast("NDArray[np.uint8]", scaled.to_ndarray()))

    def _reformatter(self, frame: VideoFrame, width: int, height: int, pixel_format: str) -> VideoReformatter:
        # A reformatter is neither safe to share between threads nor cheap to reconfigure.
        cached: dict[tuple[object, ...], VideoReformatter] = self._local.__dict__.setdefault("cached", {})
        key = (frame.format.name, frame.width, frame.height, width, height, pixel_format)
        if key not in cached:
            if len(cached) >= _CACHED_SCALERS:
                cached.pop(next(iter(cached)))
            cached[key] = VideoReformatter()
        return cached[key]


class DecodedFrame:
    """A decoded frame: when it is shown, and its pixels on demand.

    It keeps the decoder's own buffer and no converted copy, so hold on to few of them at a time.
    """

    __slots__ = ("_frame", "_scaler", "index", "time")

    index: int
    """Place in display order, from 0."""
    time: Fraction
    """Seconds from the first displayed frame, exact."""

    def __init__(
        self, frame: VideoFrame, *, index: int, time: Fraction, scaler: Scaler | None = None
    ) -> None:
        self._frame, self._scaler = frame, scaler or Scaler()
        (self._scaler.colours or Colours.of(frame)).settle(frame)
        self.index, self.time = index, time

    def __repr__(self) -> str:
        width, height = self.size
        return f"DecodedFrame(index={self.index}, time_s={self.time_s:.3f}, {width}x{height})"

    @property
    def is_damaged(self) -> bool:
        """Whether the decoder had to guess at parts of it."""
        return bool(self._frame.is_corrupt)

    @property
    def time_s(self) -> float:
        return float(self.time)

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) as shown."""
        return self._scaler.natural_size(self._frame.width, self._frame.height)

    @property
    def is_key(self) -> bool:
        """Whether the frame is decodable on its own."""
        return self._frame.key_frame

    def rgb(self, *, max_side: int | None = None, size: tuple[int, int] | None = None) -> NDArray[np.uint8]:
        """Return (H, W, 3) RGB, at most `max_side` on the longer side, or exactly `size` (width, height)."""
        return self._scaler.convert(self._frame, self._target(max_side, size), "rgb24")

    def gray(self, *, size: tuple[int, int] | None = None) -> NDArray[np.uint8]:
        """Return the picture's brightness as (H, W), 0 black to 255 white."""
        return self._scaler.convert(self._frame, self._target(None, size), "gray")

    def _target(self, max_side: int | None, size: tuple[int, int] | None) -> tuple[int, int]:
        if size is not None:
            if min(size) < 1:
                raise UserError(
                    f"A picture cannot be {size[0]}x{size[1]} pixels; give a width and height of at least 1."
                )
            return size
        width, height = self.size
        if max_side is None or max(width, height) <= max_side:
            return width, height
        if max_side < 1:
            raise UserError(f"max_side is {max_side}; give at least 1.")
        scale = Fraction(max_side, max(width, height))
        return max(1, round(width * scale)), max(1, round(height * scale))


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
