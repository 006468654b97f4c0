"""What stands beside a database that is only read from: files and locks that live in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from vidence.store.files import FileBlobs
from vidence.store.protocols import Blobs, Locks

__all__ = ["MemoryBlobs", "MemoryLocks"]


class MemoryBlobs(Blobs):
    """Blobs read from a folder; new ones stay in memory."""

    def __init__(self, root: Path) -> None:
        self._kept, self._new = FileBlobs(root), dict[tuple[str, str], bytes]()

    def exists(self, video_id: str, name: str) -> bool:
        return (video_id, name) in self._new or self._kept.exists(video_id, name)

    def read(self, video_id: str, name: str) -> bytes:
        found = self._new.get((video_id, name))
        return self._kept.read(video_id, name) if found is None else found

    def write(self, video_id: str, name: str, data: bytes) -> None:
        self._new[video_id, name] = data

    def remove_video(self, video_id: str) -> None:
        self._new = {key: data for key, data in self._new.items() if key[0] != video_id}

    def videos(self) -> Iterator[str]:
        yield from dict.fromkeys([*self._kept.videos(), *(video_id for video_id, _ in self._new)])

    def sweep(self) -> int:
        return 0


class MemoryLocks(Locks):
    """Locks among the threads of one process, which alone sees a copy in memory."""

    def __init__(self) -> None:
        self._lock = RLock()

    @contextmanager
    def hold(self, name: str, *, waiting: Callable[[], None] | None = None) -> Iterator[None]:
        with self._lock:
            yield

    def is_held(self, name: str) -> bool:
        return False
