"""Small real videos for the tests: every frame carries its number in black and white bars."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import OutputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray

BITS = 8
TICKS = 90_000
"""Frames are timed in ticks of 1/90000 s."""


def numbered(index: int, width: int = 96, height: int = 64) -> NDArray[np.uint8]:
    """Return an RGB frame whose bars spell `index` in binary."""
    image = np.full((height, width, 3), 128, dtype=np.uint8)
    for bit in range(BITS):
        left, right = bit * width // BITS, (bit + 1) * width // BITS
        image[height // 4 : 3 * height // 4, left:right] = 255 if index >> bit & 1 else 0
    return image


def number_in(gray: NDArray[np.uint8]) -> int:
    """Read the number back from a frame."""
    height, width = gray.shape
    row = gray[3 * height // 8 : 5 * height // 8].mean(axis=0)
    middles = [row[(2 * bit + 1) * width // (2 * BITS)] for bit in range(BITS)]
    return sum(1 << bit for bit, value in enumerate(middles) if value > 128)


def even_ticks(count: int, fps: int = 25, start_s: float = 0) -> list[int]:
    return [round(start_s * TICKS) + index * TICKS // fps for index in range(count)]


def add_video(
    output: OutputContainer,
    *,
    codec: str = "libx264",
    fps: int = 25,
    size: tuple[int, int] = (96, 64),
    pixel_format: str = "yuv420p",
    b_frames: int = 2,
    gop: int = 12,
    aspect: Fraction | None = None,
    options: dict[str, str] | None = None,
) -> VideoStream:
    stream = output.add_stream(codec, rate=fps, options=options or {})
    assert isinstance(stream, VideoStream)
    stream.width, stream.height = size
    stream.pix_fmt = pixel_format
    # AVI counts frames, so its clock must tick once a frame.
    stream.codec_context.time_base = Fraction(1, fps if output.format.name == "avi" else TICKS)
    stream.codec_context.gop_size = gop
    stream.codec_context.max_b_frames = b_frames
    if aspect is not None:
        stream.codec_context.sample_aspect_ratio = aspect
    return stream


def write_frames(
    output: OutputContainer,
    stream: VideoStream,
    ticks: Sequence[int],
    images: Sequence[NDArray[np.uint8]] | None = None,
) -> None:
    size = (stream.width, stream.height)
    for index, tick in enumerate(ticks):
        image = images[index] if images is not None else numbered(index, *size)
        frame = VideoFrame.from_ndarray(image, format="rgb24")
        frame.pts, frame.time_base = tick, Fraction(1, TICKS)
        output.mux(stream.encode(frame))
    output.mux(stream.encode(None))


def make_clip(
    path: Path,
    *,
    ticks: Sequence[int] | None = None,
    images: Sequence[NDArray[np.uint8]] | None = None,
    rotation: float | None = None,
    mirrored: bool = False,
    container: dict[str, str] | None = None,
    format: str | None = None,
    codec: str = "libx264",
    fps: int = 25,
    size: tuple[int, int] = (96, 64),
    pixel_format: str = "yuv420p",
    b_frames: int = 2,
    gop: int = 12,
    aspect: Fraction | None = None,
    options: dict[str, str] | None = None,
) -> Path:
    """Write a clip of numbered frames and return its path."""
    if codec == "libx264":
        options = {"preset": "ultrafast", "crf": "12", "bf": str(b_frames), "b_strategy": "0"} | (
            options or {}
        )
    with av.open(path, "w", format=format, container_options=container or {}) as output:
        stream = add_video(
            output,
            codec=codec,
            fps=fps,
            size=size,
            pixel_format=pixel_format,
            b_frames=b_frames,
            gop=gop,
            aspect=aspect,
            options=options,
        )
        if rotation is not None:
            stream.set_display_rotation(rotation, hflip=mirrored)
        write_frames(output, stream, ticks if ticks is not None else even_ticks(48, fps), images)
    return path


def add_sound(output: OutputContainer, codec: str, *, rate: int = 48_000) -> AudioStream:
    stream = output.add_stream(codec, rate=rate)
    assert isinstance(stream, AudioStream)
    stream.codec_context.layout = "mono"
    return stream


def write_sound(
    output: OutputContainer,
    stream: AudioStream,
    samples: NDArray[np.float32],
    *,
    rate: int = 48_000,
    start_s: float = 0,
    gaps: Sequence[tuple[int, int]] = (),
) -> None:
    """Encode mono `samples` in frames of 1024, leaving out the frames whose numbers lie in `gaps`."""
    size = 1024
    for number, begin in enumerate(range(0, len(samples) - size + 1, size)):
        if any(first <= number < last for first, last in gaps):
            continue
        frame = AudioFrame.from_ndarray(samples[None, begin : begin + size], format="fltp", layout="mono")
        frame.sample_rate, frame.time_base = rate, Fraction(1, rate)
        frame.pts = round(start_s * rate) + begin
        output.mux(stream.encode(frame))
    output.mux(stream.encode(None))


def beep(length_s: float, at_s: float, *, rate: int = 48_000) -> NDArray[np.float32]:
    """Silence with a tenth of a second of 1 kHz at `at_s`."""
    time = np.arange(round(length_s * rate)) / rate
    inside = (time >= at_s) & (time < at_s + 0.1)
    return np.where(inside, 0.8 * np.sin(2 * np.pi * 1000 * time), 0).astype(np.float32)
