"""The identity of a file: the sha256 of all its bytes."""

from __future__ import annotations

import difflib
import hashlib
import os
import stat
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from vidence.errors import FileProblem, MissingFile
from vidence.schema.catalogue import ContentId

__all__ = ["Progress", "content_id", "near_files", "stat_file"]

Progress = Callable[[int, int], None]
"""Called with the bytes read so far and the size of the file."""

_CHUNK_BYTES = 1 << 20
_ATTEMPTS = 3
_PAUSE_S = 0.2
_ID_DIGITS = 16
_MAX_BESIDE = 2_000


def content_id(path: Path, *, progress: Progress | None = None) -> ContentId:
    """Read the whole file and return the identity of its content."""
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(_PAUSE_S)
        before = stat_file(path)
        digest = _sha256(path, before.st_size, progress)
        if digest is not None and _same(before, stat_file(path)):
            return ContentId(f"vid_{digest[:_ID_DIGITS]}", digest, before.st_size, before.st_mtime_ns)
    raise FileProblem(
        f"{str(path)!r} keeps changing while it is read. Wait until it is fully written, then try again."
    )


def stat_file(path: Path) -> os.stat_result:
    """Return the stat of a regular file; anything else is a FileProblem."""
    try:
        found = path.stat()
    except (OSError, ValueError) as exc:
        raise _problem(path, exc) from exc
    if stat.S_ISDIR(found.st_mode):
        raise FileProblem(f"{str(path)!r} is a folder. Name a video file in it.")
    if not stat.S_ISREG(found.st_mode):
        raise FileProblem(
            f"{str(path)!r} is not a regular file but a pipe, socket or device. Save it to a file first."
        )
    return found


def near_files(ref: str, place: str) -> list[str]:
    """Return the files beside `place` with a name like its own, each as it would be written for `ref`."""
    try:
        with os.scandir(Path(place).parent) as entries:
            names = [entry.name for entry in islice(entries, _MAX_BESIDE) if entry.is_file()]
    except (OSError, ValueError):
        return []
    near = difflib.get_close_matches(Path(place).name, sorted(names), n=3, cutoff=0.6)
    return [str(Path(ref).with_name(name)) for name in near]


def _sha256(path: Path, size_bytes: int, progress: Progress | None) -> str | None:
    digest, done = hashlib.sha256(), 0
    buffer = memoryview(bytearray(_CHUNK_BYTES))
    try:
        with path.open("rb", buffering=0) as file:
            while count := file.readinto(buffer):
                digest.update(buffer[:count])
                done += count
                if done > size_bytes:
                    # It is growing: reading on could take as long as writing it.
                    return None
                if progress is not None:
                    progress(done, size_bytes)
    except OSError as exc:
        raise _problem(path, exc) from exc
    return digest.hexdigest() if done == size_bytes else None


def _same(before: os.stat_result, after: os.stat_result) -> bool:
    return (before.st_ino, before.st_size, before.st_mtime_ns) == (
        after.st_ino,
        after.st_size,
        after.st_mtime_ns,
    )


def _problem(path: Path, exc: OSError | ValueError) -> FileProblem:
    name = repr(str(path))
    if isinstance(exc, FileNotFoundError | NotADirectoryError):
        return MissingFile(str(path), near_files(str(path), str(path.absolute())))
    if isinstance(exc, PermissionError):
        return FileProblem(f"{name} may not be read. Change its permissions (chmod +r) and try again.")
    reason = (exc.strerror if isinstance(exc, OSError) else None) or str(exc)
    return FileProblem(f"{name} cannot be read: {reason}. Check the path and the disk.")
