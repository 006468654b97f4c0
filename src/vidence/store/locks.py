"""One process at a time on one video: operating-system locks, released when their holder dies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from vidence.store.faults import disk_fault
from vidence.store.protocols import Locks

__all__ = ["FileLocks"]


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


def _acquire(lock: FileLock, *, blocking: bool) -> bool:
    try:
        lock.acquire(blocking=blocking)
    except Timeout:
        return False
    except OSError as exc:
        raise disk_fault(exc, Path(lock.lock_file)) from exc
    return True
