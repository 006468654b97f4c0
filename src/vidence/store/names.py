"""What a person means by a video's name: an id, the beginning of one, a path or a file name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from vidence.errors import UnknownName, UserError
from vidence.schema.catalogue import VideoRecord

__all__ = ["resolve_name"]

_MAX_LISTED = 8


def resolve_name(ref: str, *, place: str, videos: Sequence[VideoRecord]) -> VideoRecord:
    """Return the one video `ref` names; `place` is `ref` read as an absolute path."""
    if exact := [video for video in videos if video.video_id == ref]:
        return exact[0]
    if at_place := [video for video in videos if any(str(spot.path) == place for spot in video.locations)]:
        # A replaced file stands under two videos: the one seen there last is meant.
        return max(at_place, key=lambda video: _seen_at(video, place))
    readings: tuple[Callable[[VideoRecord], bool], ...] = (
        lambda video: ref in _names(video),
        lambda video: ref.casefold() in {Path(name).stem.casefold() for name in _names(video)},
        lambda video: ref.startswith("vid_") and video.video_id.startswith(ref),
    )
    for reading in readings:
        if matches := [video for video in videos if reading(video)]:
            return _only(ref, matches)
    known = [name for video in videos for name in (video.video_id, *_names(video))]
    raise UnknownName("video", ref, dict.fromkeys(known), remedy=_remedy(ref, place, videos))


def _only(ref: str, matches: Sequence[VideoRecord]) -> VideoRecord:
    if len(matches) == 1:
        return matches[0]
    listed = [f"{video.video_id} ({video.path})" for video in matches[:_MAX_LISTED]]
    more = [f"and {len(matches) - _MAX_LISTED} more"] if len(matches) > _MAX_LISTED else []
    raise UserError(
        f"{ref!r} may mean {len(matches)} videos: {', '.join(listed + more)}. Use the full id or path."
    )


def _names(video: VideoRecord) -> dict[str, None]:
    return dict.fromkeys(location.path.name for location in video.locations)


def _seen_at(video: VideoRecord, place: str) -> float:
    return max(spot.seen_at for spot in video.locations if str(spot.path) == place)


def _remedy(ref: str, place: str, videos: Sequence[VideoRecord]) -> str:
    if Path(place).is_file():
        return f"The file is there but not in the catalogue: run `vidence add {ref}` first."
    if not videos:
        return "The catalogue is empty: run `vidence add FILE` first."
    return "`vidence list` shows what there is."
