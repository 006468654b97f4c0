"""API-1 `get_video_info`: what the file is, before looking into it."""

from __future__ import annotations

from pydantic import Field

from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Request, Result
from vidence.schema.frozen import Frozen

__all__ = ["OPERATION", "GetVideoInfoRequest", "GetVideoInfoResult", "Resolution"]

_BYTES_PER_MB = 1_000_000


class Resolution(Frozen):
    """Size of the picture as shown: upright and with square pixels."""

    width: int
    height: int


class GetVideoInfoRequest(Request):
    """Which video."""


class GetVideoInfoResult(Result):
    """Basic metadata of a video."""

    duration: float = Field(description="Length in seconds.")
    fps: float = Field(description="Frames per second; the average when the rate varies.")
    resolution: Resolution
    has_audio: bool = Field(description="Whether there is a sound stream (it may still be silent).")
    num_frames: int
    file_size_mb: float = Field(description="Size of the file in megabytes (10^6 bytes).")


def run(context: OpContext, request: GetVideoInfoRequest) -> GetVideoInfoResult:
    """Answer from the catalogue; the file itself is not touched."""
    info = context.video(request.video_id).info
    return GetVideoInfoResult(
        duration=round(info.duration_s, 3),
        fps=round(float(info.video.fps), 3),
        resolution=Resolution(width=info.video.width, height=info.video.height),
        has_audio=bool(info.audio),
        num_frames=info.video.num_frames,
        file_size_mb=round(info.size_bytes / _BYTES_PER_MB, 3),
    )


OPERATION = Operation(
    name="get_video_info",
    category="video",
    purpose=(
        "Get a video's duration, frame rate, picture size, frame count and file size, and whether it has "
        "sound."
    ),
    request=GetVideoInfoRequest,
    result=GetVideoInfoResult,
    run=run,
    notes=(
        "Call this first: the duration limits every time that you may pass to other operations, and "
        "`has_audio` says whether transcript and sound operations can find anything."
    ),
)
