"""The videos of a workspace as a table, for the terminal and for notebooks."""

from __future__ import annotations

from vidence.app import html
from vidence.schema.catalogue import VideoRecord
from vidence.schema.printable import visible
from vidence.schema.time import format_timecode

__all__ = ["HEADINGS", "VideoList", "row_of"]

HEADINGS = ("id", "length", "picture", "fps", "sound", "file")


class VideoList(list[VideoRecord]):
    """Videos, the oldest first; prints as lines and shows as a table in a notebook."""

    def __str__(self) -> str:
        return "\n".join(visible("  ".join(row_of(video))) for video in self)

    def _repr_html_(self) -> str:
        return html.table(HEADINGS, map(row_of, self))


def row_of(video: VideoRecord) -> tuple[str, ...]:
    """Return a video's cells under the headings."""
    media = video.info
    return (
        video.video_id,
        format_timecode(media.duration_s),
        f"{media.video.width}×{media.video.height}",
        f"{float(media.video.fps):.4g}",
        "yes" if media.audio else "no",
        str(video.path),
    )
