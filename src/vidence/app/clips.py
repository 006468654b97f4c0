"""Cutting a part out of a video as a small MP4 that every browser plays."""

from __future__ import annotations

import io
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.audio.stream import AudioStream
from av.packet import Packet
from av.video.stream import VideoStream

from vidence.app.workspace import Workspace
from vidence.errors import BackendError, UserError
from vidence.media import open_video, read_audio
from vidence.schema.time import TimeRange

__all__ = ["MAX_CLIP_S", "cut_clip"]

MAX_CLIP_S = 120.0
_SIDE = 1280
_RATE = 48000


def cut_clip(workspace: Workspace, video_id: str, start_s: float, end_s: float) -> bytes:
    """Return the frames and the sound from `start_s` to `end_s` as MP4 (H.264, AAC)."""
    record = workspace.store.catalogue.get(video_id)
    end_s = min(end_s, record.info.duration_s)
    if not 0 <= start_s < end_s or end_s - start_s > MAX_CLIP_S:
        raise UserError(f"A clip lasts from 0 to {MAX_CLIP_S:g} s and lies inside the video.")
    path = workspace.store.catalogue.locate(video_id)
    span = TimeRange(start_time=start_s, end_time=end_s)
    out = io.BytesIO()
    try:
        with av.open(out, "w", format="mp4") as container:
            # Both streams are there before the first packet: the file's head names them.
            fps = Fraction(min(max(float(record.info.video.fps), 1.0), 60.0)).limit_denominator(1001)
            pictures = container.add_stream("libx264", rate=fps, options={"crf": "23", "preset": "veryfast"})
            sound = container.add_stream("aac", rate=_RATE, layout="mono") if record.info.audio else None
            for packet in _pictures(pictures, path, span, fps):
                container.mux(packet)
            if sound is not None:
                for packet in _sound(sound, path, span):
                    container.mux(packet)
    except av.FFmpegError as exc:
        raise BackendError(f"The clip could not be written: {exc}.") from exc
    return out.getvalue()


def _pictures(stream: VideoStream, path: Path, span: TimeRange, fps: Fraction) -> Iterator[Packet[Any]]:
    count = max(1, round(span.duration_s * float(fps)))
    times = [min(span.start_time + number / float(fps), span.end_time - 0.001) for number in range(count)]
    with open_video(path, threads=1) as reader:
        for number, found in enumerate(reader.at(times)):
            image = found.rgb(max_side=_SIDE)
            if number == 0:
                stream.height, stream.width = (side // 2 * 2 for side in image.shape[:2])
                stream.pix_fmt = "yuv420p"
            even = np.ascontiguousarray(image[: stream.height, : stream.width])
            frame = av.VideoFrame.from_ndarray(even, format="rgb24")
            frame.pts, frame.time_base = number, 1 / fps
            yield from stream.encode(frame)
    yield from stream.encode(None)


def _sound(stream: AudioStream, path: Path, span: TimeRange) -> Iterator[Packet[Any]]:
    for chunk in read_audio(path, span=span, rate=_RATE):
        samples = np.ascontiguousarray(chunk.samples[None, :], np.float32)
        frame = av.AudioFrame.from_ndarray(samples, format="flt", layout="mono")
        frame.sample_rate = _RATE
        frame.pts, frame.time_base = round((chunk.start_time - span.start_time) * _RATE), Fraction(1, _RATE)
        yield from stream.encode(frame)
    yield from stream.encode(None)
