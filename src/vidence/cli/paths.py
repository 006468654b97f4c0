"""Which files a person means: files, folders searched for videos, and globs."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from vidence.errors import FileProblem

__all__ = ["expand"]

# What a folder search takes for a video; a file named outright is judged by its content.
_VIDEO_SUFFIXES = {
    ".3gp", ".asf", ".avi", ".flv", ".m2ts", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".mts", ".mxf",
    ".ogv", ".ts", ".vob", ".webm", ".wmv",
}  # fmt: skip


def expand(paths: Iterable[str]) -> Iterator[str]:
    """Yield each file meant; a name that exists is never read as a pattern, anything else passes as it is."""
    for text in paths:
        # Not Path.expanduser(): that one raises for a name like ~draft.mp4.
        path = Path(os.path.expanduser(text))  # noqa: PTH111
        # These never raise, unlike Path's own: the one who opens the file says what is wrong with it.
        if os.path.isdir(path):  # noqa: PTH112
            yield from _videos_in(path, text)
        elif not os.path.lexists(path) and glob.has_magic(text):
            yield from _matches(path, text)
        else:
            yield text


def _videos_in(folder: Path, text: str) -> list[str]:
    if not os.access(folder, os.R_OK | os.X_OK):
        raise FileProblem(f"The folder {text!r} may not be read. Check its permissions.")
    found = sorted(p for p in folder.rglob("*") if p.suffix.lower() in _VIDEO_SUFFIXES and p.is_file())
    if not found:
        raise FileProblem(f"There are no videos in the folder {text!r}. Name a file, or another folder.")
    return [str(path) for path in found]


def _matches(pattern: Path, text: str) -> list[str]:
    # Path.glob takes no absolute pattern.
    found = sorted(glob.glob(str(pattern), recursive=True))  # noqa: PTH207
    if not found:
        raise FileProblem(f"Nothing matches {text!r}. Check the pattern.")
    return found
