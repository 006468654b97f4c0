"""Expands paths: files, folders searched for videos, and globs."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from vidence.errors import FileProblem

__all__ = ["VIDEO_SUFFIXES", "allowed_path", "expand"]

# Suffixes that a folder search takes for videos; a file named directly is judged by its content.
VIDEO_SUFFIXES = {
    ".3gp", ".asf", ".avi", ".flv", ".m2ts", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".mts", ".mxf",
    ".ogv", ".ts", ".vob", ".webm", ".wmv",
}  # fmt: skip


def expand(paths: Iterable[str], problem: Callable[[str, FileProblem], None] | None = None) -> Iterator[str]:
    """Yield each file meant; a name that exists is never read as a pattern, other names pass unchanged.

    `problem` is called with every folder that could not be searched, and the search goes on; without it, the
    problem is raised where nothing was found.
    """
    for text in paths:
        # Not Path.expanduser(): that one raises for a name like ~draft.mp4.
        path = Path(os.path.expanduser(text))  # noqa: PTH111
        found, problems = _meant(path, text)
        for name, error in problems:
            if problem is not None:
                problem(name, error)
            elif not found:
                raise error
        yield from found


def allowed_path(text: str, roots: Sequence[Path]) -> Path:
    """Return a path that lies in one of the folders, links followed; without folders any path will do."""
    path = Path(os.path.expanduser(text))  # noqa: PTH111
    if roots and not any(path.resolve().is_relative_to(root.resolve()) for root in roots):
        raise FileProblem(f"{text!r} is not in a folder that this server was given.")
    return path


def _meant(path: Path, text: str) -> tuple[list[str], list[tuple[str, FileProblem]]]:
    # These never raise, unlike Path's methods; opening the file reports what is wrong with it.
    if os.path.isdir(path):  # noqa: PTH112
        found, closed = _videos_in(path)
        problem = FileProblem(f"There are no videos in the folder {text!r}. Name a file, or another folder.")
        problems = [(name, _closed(name)) for name in closed]
    elif not os.path.lexists(path) and glob.has_magic(text):
        # Path.glob takes no absolute pattern.
        found = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207
        problem, problems = FileProblem(f"Nothing matches {text!r}. Check the pattern."), []
    else:
        return [text], []
    return found, problems if found or problems else [(text, problem)]


def _closed(name: str) -> FileProblem:
    return FileProblem(f"The folder {name!r} may not be read. Check its permissions.")


def _videos_in(folder: Path) -> tuple[list[str], list[str]]:
    """Return the videos under a folder, and the folders that may not be entered."""
    closed: list[str] = []
    found = [
        os.path.join(where, name)  # noqa: PTH118
        for where, _, names in os.walk(folder, onerror=lambda error: closed.append(str(error.filename)))
        for name in names
        if _is_video(name) and os.path.isfile(os.path.join(where, name))  # noqa: PTH113, PTH118
    ]
    return sorted(found), closed


def _is_video(name: str) -> bool:
    # "._holiday.mp4" is what a Mac keeps beside holiday.mp4 on a foreign disk, not a video.
    return Path(name).suffix.lower() in VIDEO_SUFFIXES and not name.startswith("._")
