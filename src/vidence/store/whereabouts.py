"""Finds a video's file on disk again: where it was, or moved nearby."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from vidence.errors import FileProblem
from vidence.schema.catalogue import ContentId, VideoLocation, VideoRecord
from vidence.store.content import content_id, stat_file

__all__ = ["Found", "confirm", "find_known", "find_moved", "is_unchanged", "missing", "replaced"]

# A file written in the same tick as it was read could change again without its mtime showing it.
_SETTLED_NS = 2_000_000_000
_MAX_ENTRIES = 50_000


@dataclass(frozen=True)
class Found:
    """Where the file is; `content` only when it had to be hashed to be sure."""

    path: Path
    content: ContentId | None


def is_unchanged(location: VideoLocation, found: os.stat_result) -> bool:
    """Say whether size and mtime vouch for the file still holding the bytes recorded."""
    settled = location.seen_at * 1e9 - location.mtime_ns > _SETTLED_NS
    return settled and (found.st_size, found.st_mtime_ns) == (location.size_bytes, location.mtime_ns)


def find_known(video: VideoRecord) -> Found | None:
    """Return the first known location that still holds the video's bytes."""
    for location in video.locations:
        try:
            found = stat_file(location.path)
        except FileProblem:
            continue
        if is_unchanged(location, found):
            return Found(location.path, None)
        if content := confirm(location.path, found, video):
            return Found(location.path, content)
    return None


def find_moved(
    video: VideoRecord, folders: Iterable[Path], taken: frozenset[tuple[str, int, int]]
) -> Found | None:
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
    # A file that kept its name is the likeliest, and hashing is what costs.
    for _, path, found in sorted(same_size, key=lambda row: row[:2]):
        if content := confirm(Path(path), found, video):
            return Found(Path(path), content)
    return None


def missing(video: VideoRecord) -> FileProblem:
    """Return the error that says what became of the video's file, as far as one can see."""
    for location in video.locations:
        if location.path.is_file():
            return replaced(location.path, video)
    return FileProblem(
        f"The file of {video.video_id} is gone: it was at {str(video.path)!r}. "
        "Put it back, or run `vidence add` on the place it was moved to."
    )


def replaced(path: Path, video: VideoRecord) -> FileProblem:
    """Return the error that says that another file lies where the video was."""
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
            # A folder that is gone or closed to us holds nothing we can find.
            continue
