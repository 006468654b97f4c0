"""One process at a time on one video: locks the system itself lets go of when their holder dies."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from vidence.store.faults import disk_fault

__all__ = ["Locks"]

_POLL_S = 0.05


class Locks:
    """Named locks, each an empty file in `folder` that is locked, never deleted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def hold(self, name: str, *, waiting: Callable[[], None] | None = None) -> Iterator[None]:
        """Hold the lock, waiting for whoever has it; `waiting` is called once when there is someone."""
        descriptor = self._open(name)
        try:
            if not _try_lock(descriptor):
                if waiting is not None:
                    waiting()
                while not _try_lock(descriptor):
                    time.sleep(_POLL_S)
            yield
        finally:
            # Closing the descriptor is what releases the lock.
            os.close(descriptor)

    def is_held(self, name: str) -> bool:
        """Say whether somebody, here or in another process, holds the lock right now."""
        descriptor = self._open(name)
        try:
            return not _try_lock(descriptor)
        finally:
            os.close(descriptor)

    def _open(self, name: str) -> int:
        path = self.folder / f"{name}.lock"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as exc:
            raise disk_fault(exc, path) from exc


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
