"""Looks up a video by the name a person gives it, and its file on disk, even when it was moved nearby."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vidence.errors import FileProblem, MissingFile, UnknownName, UserError
from vidence.schema.catalogue import ContentId, VideoLocation, VideoRecord
from vidence.store.content import content_id, near_files, stat_file

__all__ = [
    "FoundFile",
    "absolute_path",
    "confirm",
    "find_known",
    "find_moved",
    "is_unchanged",
    "missing",
    "replaced",
    "resolve_name",
    "subfolders",
]

# A file written in the same tick as it was read could change again without its mtime showing it.
_SETTLED_NS = 2_000_000_000
_MAX_ENTRIES = 50_000
_MAX_LISTED = 8


@dataclass(frozen=True)
class FoundFile:
    """Where the file is; `content` only when it had to be hashed to be sure."""

    path: Path
    content: ContentId | None


def resolve_name(ref: str, *, place: str, videos: Sequence[VideoRecord]) -> VideoRecord:
    """Return the one video that `ref` names; `place` is `ref` read as an absolute path."""
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
    is_file = bool(Path(ref).suffix) or os.sep in ref
    if is_file and not os.path.lexists(place):
        beside = near_files(ref, place)
        near = beside or difflib.get_close_matches(Path(ref).name, known, n=3, cutoff=0.6)
        raise MissingFile(ref, near, remedy="" if videos else "Add one with `vidence add FILE`.")
    raise UnknownName("video", ref, dict.fromkeys(known), remedy=_remedy(ref, place, videos))


def absolute_path(path: Path) -> str:
    """Return the one absolute name of the file `path` leads to."""
    try:
        place = os.path.realpath(path)
        place.encode()
    except ValueError as exc:
        raise FileProblem(
            f"{str(path)!r} cannot be a file name here: it is not valid Unicode text. Rename the file."
        ) from exc
    return place


def subfolders(folder: Path) -> list[Path]:
    """Return the folders right inside `folder`; none if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def is_unchanged(location: VideoLocation, found: os.stat_result) -> bool:
    """Say whether size and mtime show that the file still holds the recorded bytes."""
    settled = location.seen_at * 1e9 - location.mtime_ns > _SETTLED_NS
    return settled and (found.st_size, found.st_mtime_ns) == (location.size_bytes, location.mtime_ns)


def find_known(video: VideoRecord) -> FoundFile | None:
    """Return the first known location that still holds the video's bytes."""
    for location in video.locations:
        try:
            found = stat_file(location.path)
        except FileProblem:
            continue
        if is_unchanged(location, found):
            return FoundFile(location.path, None)
        if content := confirm(location.path, found, video):
            return FoundFile(location.path, content)
    return None


def find_moved(
    video: VideoRecord, folders: Iterable[Path], taken: frozenset[tuple[str, int, int]]
) -> FoundFile | None:
    """Look through `folders` for a file of the video's size and bytes.

    `taken` holds (path, size, mtime_ns) of other videos' files: known not to be this one, so not hashed.
    """
    names = {location.path.name for location in video.locations}
    tried = {str(location.path) for location in video.locations}
    same_size = [
        (entry.name not in names, entry.path, found)
        for entry, found in _files(folders)
        if found.st_size == video.size_bytes
        and entry.path not in tried
        and (entry.path, found.st_size, found.st_mtime_ns) not in taken
    ]
    # Hashing is slow, so a file that kept its name is tried first.
    for _, path, found in sorted(same_size, key=lambda row: row[:2]):
        if content := confirm(Path(path), found, video):
            return FoundFile(Path(path), content)
    return None


def missing(video: VideoRecord) -> FileProblem:
    """Return the error that says what happened to the video's file, as far as can be seen."""
    for location in video.locations:
        if location.path.is_file():
            return replaced(location.path, video)
    return FileProblem(
        f"The file of {video.video_id} is gone: it was at {str(video.path)!r}. "
        "Put it back, or run `vidence add` on the place it was moved to."
    )


def replaced(path: Path, video: VideoRecord) -> FileProblem:
    """Return the error that says that another file is where the video was."""
    return FileProblem(
        f"{str(path)!r} changed since it was added as {video.video_id}: it holds something else now. "
        "Run `vidence index` on it to index what is there."
    )


def confirm(path: Path, found: os.stat_result, video: VideoRecord) -> ContentId | None:
    """Read the file at `path` and return its content when it is the video's, else None."""
    if found.st_size != video.size_bytes:
        return None
    try:
        content = content_id(path)
    except FileProblem:
        return None
    return content if content.sha256 == video.sha256 else None


def _by_path(videos: Sequence[VideoRecord]) -> dict[str, VideoRecord]:
    """Return the video at each path; of a replaced file's two videos, the one seen there last."""
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


def _files(folders: Iterable[Path]) -> Iterator[tuple[os.DirEntry[str], os.stat_result]]:
    left = _MAX_ENTRIES
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    left -= 1
                    if left < 0:
                        return
                    if entry.is_file(follow_symlinks=False):
                        yield entry, entry.stat(follow_symlinks=False)
        except OSError:
            # A folder that is gone or unreadable holds nothing we can find.
            continue
