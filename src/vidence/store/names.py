"""What a person means by a video's name: an id, the beginning of one, a path or a file name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vidence.errors import UnknownName, UserError
from vidence.schema.catalogue import VideoRecord

__all__ = ["resolve_name"]

_MAX_LISTED = 8


def resolve_name(ref: str, *, place: str, videos: Sequence[VideoRecord]) -> VideoRecord:
    """Return the one video `ref` names; `place` is `ref` read as an absolute path."""
    at = _by_path(videos)
    if place in at:
        return at[place]
    readings = (
        [video for path, video in at.items() if Path(path).name == ref],
        [video for path, video in at.items() if Path(path).stem.casefold() == ref.casefold()],
        [video for video in videos if ref.startswith("vid_") and video.video_id.startswith(ref)],
    )
    for matches in readings:
        if matches:
            return _only(ref, matches)
    known = [video.video_id for video in videos] + [Path(path).name for path in at]
    raise UnknownName("video", ref, dict.fromkeys(known), remedy=_remedy(ref, place, videos))


def _by_path(videos: Sequence[VideoRecord]) -> dict[str, VideoRecord]:
    """Return what lies at each path; of a replaced file's two videos, the one seen there last."""
    seen = [(spot.seen_at, str(spot.path), video) for video in videos for spot in video.locations]
    return {path: video for _, path, video in sorted(seen, key=lambda row: row[0])}


def _only(ref: str, matches: Sequence[VideoRecord]) -> VideoRecord:
    matches = list({video.video_id: video for video in matches}.values())
    if len(matches) == 1:
        return matches[0]
    listed = [f"{video.video_id} ({video.path})" for video in matches[:_MAX_LISTED]]
    more = [f"and {len(matches) - _MAX_LISTED} more"] if len(matches) > _MAX_LISTED else []
    raise UserError(
        f"{ref!r} may mean {len(matches)} videos: {', '.join(listed + more)}. Use the full id or path."
    )


def _remedy(ref: str, place: str, videos: Sequence[VideoRecord]) -> str:
    if _is_file(place):
        return f"The file is there but not in the catalogue: run `vidence add {ref}` first."
    if not videos:
        return "The catalogue is empty: run `vidence add FILE` first."
    return "`vidence list` shows what there is."


def _is_file(place: str) -> bool:
    try:
        return Path(place).is_file()
    except OSError:
        # Too long to be anybody's file name.
        return False
