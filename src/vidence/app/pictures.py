"""Pictures of a video for a page: posters, thumbnails and exact frames, as JPEG."""

from __future__ import annotations

from vidence.app.workspace import Workspace
from vidence.errors import UserError
from vidence.media.jpeg import encode_jpeg
from vidence.runs.frames import read_frame
from vidence.schema.observations import FrameSeen

__all__ = ["MAX_SIDE", "exact_frame", "poster", "thumbnail"]

MAX_SIDE = 1920
_POSTER = "web/poster.jpg"
_POSTER_SIDE = 480
_POSTER_AT = 0.1
"""The part of a video its poster is taken from: beginnings are often black."""
_NEAR_S = 2.5


def poster(workspace: Workspace, video_id: str) -> bytes:
    """Return a picture that stands for a video."""
    blobs = workspace.store.blobs
    if not blobs.exists(video_id, _POSTER):
        time_s = workspace.store.catalogue.get(video_id).info.duration_s * _POSTER_AT
        blobs.write(video_id, _POSTER, exact_frame(workspace, video_id, time_s, side=_POSTER_SIDE))
    return blobs.read(video_id, _POSTER)


def thumbnail(workspace: Workspace, video_id: str, time_s: float) -> bytes:
    """Return a small picture near a time: one the index stored, or a decoded one where there is none."""
    seen = workspace.store.observations.at(video_id, "frames", FrameSeen, time_s)
    blobs = workspace.store.blobs
    is_near = seen is not None and seen.start_time <= time_s <= seen.end_time + _NEAR_S
    if seen is not None and is_near and blobs.exists(video_id, seen.thumbnail):
        return blobs.read(video_id, seen.thumbnail)
    name = f"web/thumb_{round(time_s * 10):08d}.jpg"
    if not blobs.exists(video_id, name):
        blobs.write(video_id, name, exact_frame(workspace, video_id, time_s, side=320))
    return blobs.read(video_id, name)


def exact_frame(workspace: Workspace, video_id: str, time_s: float, *, side: int = MAX_SIDE) -> bytes:
    """Return the frame shown at a time."""
    length = workspace.store.catalogue.get(video_id).info.duration_s
    if not 0 <= time_s <= length:
        raise UserError(f"{time_s:g} s lies outside the video, which is {length:.3f} s long.")
    path = workspace.store.catalogue.locate(video_id)
    time_s = max(0.0, min(time_s, length - 0.001))
    return encode_jpeg(read_frame(path, time_s, max_side=min(side, MAX_SIDE), threads=1))
