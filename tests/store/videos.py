"""Small stand-ins for video files and for what probing them tells."""

from __future__ import annotations

import os
import time
from fractions import Fraction
from pathlib import Path

from vidence.schema.catalogue import Added
from vidence.schema.media import AudioStream, MediaInfo, VideoStream
from vidence.store import Store, content_id


def make_info(path: Path) -> MediaInfo:
    """Return what a probe of a two-second 640×360 clip at `path` would tell."""
    video = VideoStream(
        index=0,
        codec="h264",
        width=640,
        height=360,
        coded_width=640,
        coded_height=368,
        fps=Fraction(30000, 1001),
        num_frames=60,
        duration_s=2.002,
    )
    audio = AudioStream(index=1, codec="aac", sample_rate=48000, channels=2, language="eng")
    return MediaInfo(
        path=path,
        container="mp4",
        size_bytes=path.stat().st_size,
        duration_s=2.002,
        video=video,
        audio=(audio,),
    )


def make_file(path: Path, data: bytes = b"moving pictures", *, age_s: float = 60.0) -> Path:
    """Write a file that was last changed `age_s` seconds ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    then = time.time() - age_s
    os.utime(path, (then, then))
    return path


def add(store: Store, path: Path) -> Added:
    """Add the file at `path` as the app does, short of probing it."""
    return store.catalogue.add(path, make_info(path), content_id(path))
