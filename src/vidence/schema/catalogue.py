"""The catalogue: videos by content, the locations of their files, and the state of each index stage."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from vidence.schema.frozen import Frozen
from vidence.schema.media import MediaInfo

__all__ = ["Added", "ContentId", "Granularity", "StageRow", "StageState", "VideoLocation", "VideoRecord"]

Granularity = Literal["fine", "coarse"]
StageState = Literal["running", "done", "failed"]


@dataclass(frozen=True)
class ContentId:
    """The identity of a file's bytes, and the stat values they were read under."""

    video_id: str
    sha256: str
    size_bytes: int
    mtime_ns: int


class VideoLocation(Frozen):
    """One place a video's file was seen at."""

    path: Path
    size_bytes: int
    mtime_ns: int
    seen_at: float
    """Unix time at which the file there was last known to hold the video's bytes."""


class VideoRecord(Frozen):
    """One video of the catalogue."""

    video_id: str
    sha256: str
    size_bytes: int
    info: MediaInfo
    """As probed; `info.path` is the place the file was last seen at."""
    added_at: float
    locations: tuple[VideoLocation, ...]
    """The most recently seen first; never empty."""

    @property
    def path(self) -> Path:
        return self.locations[0].path

    @property
    def name(self) -> str:
        return self.path.name


@dataclass(frozen=True)
class Added:
    """The result of adding a file."""

    video: VideoRecord
    is_new: bool
    """False when the same content was already in the catalogue, under this path or another."""


class StageRow(Frozen):
    """The state of one index stage of one video."""

    video_id: str
    stage: str
    fingerprint: str
    """Names the model and settings the stage's rows were made with."""
    state: StageState
    progress: float
    cursor: JsonValue = None
    """Where to resume; None means from the beginning."""
    error: str | None = None
    started_at: float
    updated_at: float
    pid: int
    """The process that last worked on it."""

    @property
    def is_done(self) -> bool:
        return self.state == "done"
