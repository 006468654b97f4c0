"""The lab: H.264 and AAC in an MP4 that can start to play before it has arrived."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.audio.stream import AudioStream
from av.container import OutputContainer
from av.video.stream import VideoStream

from samples.studio.film import FPS, HEIGHT, RATE, WIDTH
from samples.studio.pictures import Image
from samples.studio.sounds import Track

__all__ = ["encode"]

_AAC_FRAME = 1024
_X264 = {
    "crf": "25",
    "preset": "slow",
    # One thread and bit-exact muxing, so that a rebuild gives the same file.
    "threads": "1",
    "x264-params": "keyint=125:colorprim=bt709:transfer=bt709:colormatrix=bt709",
}


def encode(frames: Iterator[Image], track: Track, path: Path) -> None:
    """Write the film to `path`."""
    options = {"movflags": "+faststart", "fflags": "+bitexact"}
    with av.open(str(path), "w", format="mp4", options=options) as container:
        video = _video_stream(container)
        audio = container.add_stream("aac", rate=RATE, layout="mono", options={"flags": "+bitexact"})
        audio.bit_rate = 64_000
        spent = 0
        for number, picture in enumerate(frames):
            _encode_picture(container, video, picture, number)
            due = (number + 1) * RATE // FPS
            spent = _encode_sound(container, audio, track, spent, due)  # interleaved, as players like it
        container.mux(video.encode(None))
        _encode_sound(container, audio, track, spent, track.size, last=True)
        container.mux(audio.encode(None))


def _video_stream(container: OutputContainer) -> VideoStream:
    stream = container.add_stream("libx264", rate=FPS, options=_X264 | {"flags": "+bitexact"})
    stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
    stream.time_base = Fraction(1, FPS)
    return stream


def _encode_picture(container: OutputContainer, stream: VideoStream, picture: Image, number: int) -> None:
    frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
    frame = frame.reformat(format="yuv420p", dst_colorspace="ITU709", dst_color_range="MPEG")
    frame.pts, frame.time_base = number, Fraction(1, FPS)
    container.mux(stream.encode(frame))


def _encode_sound(
    container: OutputContainer, stream: AudioStream, track: Track, start: int, due: int, *, last: bool = False
) -> int:
    """Encode whole AAC frames up to sample `due` (all of them when `last`); return where it stopped."""
    while start + _AAC_FRAME <= due or (last and start < due):
        samples = track[None, start : start + _AAC_FRAME]
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples), format="fltp", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = RATE, start, Fraction(1, RATE)
        container.mux(stream.encode(frame))
        start += samples.shape[1]
    return start
