"""Small stand-ins for video files and for what probing them tells."""

from __future__ import annotations

import hashlib
import os
import time
from fractions import Fraction
from pathlib import Path

from vidence.schema.catalogue import Added
from vidence.schema.evidence import OpRecord
from vidence.schema.media import AudioStream, MediaInfo, VideoStream
from vidence.schema.time import TimeRange
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


def make_record(
    video_id: str | None, result_json: str, *, record_id: str, operation: str = "get_video_info"
) -> OpRecord:
    """Return the record of an operation that answered `result_json`."""
    return OpRecord(
        record_id=record_id,
        operation=operation,
        arguments={"granularity": "fine"},
        video_id=video_id,
        span=TimeRange(start_time=0.5, end_time=1.5),
        models=("shots-1",),
        index_version="abc",
        result_hash=hashlib.sha256(result_json.encode()).hexdigest(),
        started_at=1.0,
        duration_s=0.25,
        cached=False,
    )
