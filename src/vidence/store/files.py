"""What a store keeps in files: the blobs of a video, and locks released when their holder dies."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from filelock import FileLock, Timeout

from vidence.errors import FileProblem, UserError
from vidence.store.faults import disk_fault
from vidence.store.protocols import Blobs, Locks

__all__ = ["FileBlobs", "FileLocks", "write_whole"]

_VIDEO_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_UNFINISHED = ".unfinished"
# Far longer than any write takes, so the writer of a file this old is gone.
_LEFTOVER_AGE_S = 3600.0


class FileBlobs(Blobs):
    """A folder per video under `root`; names may hold slashes ("thumbs/0001.jpg")."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, video_id: str, name: str) -> Path:
        """Return the path of the blob, whether or not it was written."""
        return self._folder(video_id).joinpath(*_parts(name))

    def exists(self, video_id: str, name: str) -> bool:
        return self.path(video_id, name).is_file()

    def read(self, video_id: str, name: str) -> bytes:
        path = self.path(video_id, name)
        try:
            return path.read_bytes()
        except OSError as exc:
            raise FileProblem(f"Nothing is stored as {name!r} for {video_id}: {exc.strerror}.") from exc

    def write(self, video_id: str, name: str, data: bytes) -> None:
        path = self.path(video_id, name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._replace(path, data)
        except OSError as exc:
            raise disk_fault(exc, path) from exc

    def remove_video(self, video_id: str) -> None:
        folder = self._folder(video_id)
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            return
        except OSError as exc:
            raise disk_fault(exc, folder) from exc

    def videos(self) -> Iterator[str]:
        for entry in self._entries(self.root):
            if entry.is_dir() and _VIDEO_ID.fullmatch(entry.name):
                yield entry.name

    def sweep(self) -> int:
        count = 0
        oldest = time.time() - _LEFTOVER_AGE_S
        for entry in self._entries(self.root / _UNFINISHED):
            # Another process may be sweeping too.
            with suppress(OSError):
                if entry.stat().st_mtime < oldest:
                    entry.unlink()
                    count += 1
        return count

    def _folder(self, video_id: str) -> Path:
        if not _VIDEO_ID.fullmatch(video_id):
            raise UserError(f"{video_id!r} is not a video id. `vidence list` shows them.")
        return self.root / video_id

    def _replace(self, path: Path, data: bytes) -> None:
        unfinished = self.root / _UNFINISHED
        unfinished.mkdir(exist_ok=True)
        write_whole(path, data, beside=unfinished)

    @staticmethod
    def _entries(folder: Path) -> list[Path]:
        try:
            return list(folder.iterdir())
        except OSError:
            return []


def write_whole(path: Path, data: bytes, *, beside: Path | None = None) -> None:
    """Write a file whole or not at all: into another one first (in the folder `beside`), then into place."""
    descriptor, temporary = tempfile.mkstemp(dir=beside or path.parent, prefix=".unfinished-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


class FileLocks(Locks):
    """Named locks, each an empty file in `folder` that is locked, never deleted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def hold(self, name: str, *, waiting: Callable[[], None] | None = None) -> Iterator[None]:
        lock = self._lock(name)
        if not _acquire(lock, blocking=False):
            if waiting is not None:
                waiting()
            _acquire(lock, blocking=True)
        try:
            yield
        finally:
            lock.release()

    def is_held(self, name: str) -> bool:
        lock = self._lock(name)
        is_free = _acquire(lock, blocking=False)
        if is_free:
            lock.release()
        return not is_free

    def _lock(self, name: str) -> FileLock:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as exc:
            raise disk_fault(exc, self.folder) from exc
        # A file that merely exists would outlive a killed holder, so such a fallback is refused.
        return FileLock(self.folder / f"{name}.lock", fallback_to_soft=False)


def _parts(name: str) -> tuple[str, ...]:
    parts = PurePosixPath(name).parts
    safe = (
        bool(parts) and not name.startswith("/") and not any(part in (".", "..") for part in name.split("/"))
    )
    try:
        name.encode()
    except UnicodeEncodeError:
        safe = False
    if not safe or "\0" in name or "\\" in name:
        raise UserError(
            f"{name!r} is not a blob name: use a relative name such as 'thumbs/0001.jpg', without '..'."
        )
    return parts


def _sync_folder(folder: Path) -> None:
    # Makes the rename itself survive a power cut; Windows cannot open folders and does not need it.
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _acquire(lock: FileLock, *, blocking: bool) -> bool:
    try:
        lock.acquire(blocking=blocking)
    except Timeout:
        return False
    except OSError as exc:
        raise disk_fault(exc, Path(lock.lock_file)) from exc
    return True
