"""The streams and properties of a media file, as probed."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

__all__ = ["AudioStream", "MediaInfo", "Subtitle", "SubtitleStream", "VideoStream"]


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)


class VideoStream(_Shape):
    """The picture stream that is analysed: the first that is not a cover image."""

    index: int
    codec: str
    width: int
    """As shown: after rotation and with square pixels."""
    height: int
    coded_width: int
    coded_height: int
    rotation: Literal[0, 90, 180, 270] = 0
    """Degrees clockwise that a player turns the coded picture."""
    mirrored: bool = False
    """Whether a player then flips it left to right."""
    pixel_aspect: Fraction = Fraction(1)
    pixel_format: str = ""
    bit_depth: int = 8
    fps: Fraction
    """Average rate; see `variable_frame_rate`."""
    variable_frame_rate: bool = False
    start_time: Fraction = Fraction(0)
    """Container time of the first frame; every time vidence reports is relative to it."""
    num_frames: int
    duration_s: float


class AudioStream(_Shape):
    """One sound stream."""

    index: int
    codec: str
    sample_rate: int
    channels: int
    language: str | None = None
    duration_s: float | None = None


class SubtitleStream(_Shape):
    """One embedded subtitle stream."""

    index: int
    codec: str
    language: str | None = None
    is_text: bool = True
    is_forced: bool = False
    """Whether it covers foreign lines only, not all speech."""


class Subtitle(_Shape):
    """One line of an embedded subtitle stream, in video time."""

    start_time: float
    end_time: float
    text: str


class MediaInfo(_Shape):
    """The result of probing a file."""

    path: Path
    container: str
    size_bytes: int
    duration_s: float
    video: VideoStream
    audio: tuple[AudioStream, ...] = ()
    subtitles: tuple[SubtitleStream, ...] = ()
    exact: bool = True
    """False when the container states no duration or frame count and they were estimated."""
    warnings: tuple[str, ...] = ()
    """Problems of the file, in plain words (truncated tail, missing index, …)."""
