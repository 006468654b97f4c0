"""One SQLite connection per thread, safe across fork and always closed.

SQLite keeps its table of file locks in process memory, so a connection that is open while the process
forks misleads every connection the child opens on that file. Idle connections are therefore closed just
before a fork (they reopen on demand), and a child forked in the middle of a transaction gets an error.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from vidence.errors import BackendError

__all__ = ["Handle", "Mode", "Pool"]

Mode = Literal["idle", "read", "write"]


@dataclass(eq=False)
class Handle:
    """A thread's connection and how deep in which kind of transaction it is."""

    connection: sqlite3.Connection
    thread: threading.Thread
    pid: int = field(default_factory=os.getpid)
    mode: Mode = "idle"
    depth: int = 0

    @property
    def is_ours(self) -> bool:
        """False in a child forked while the connection was in use."""
        return self.pid == os.getpid()

    def check_process(self) -> None:
        """Raise when the transaction belongs to the parent of this process."""
        if not self.is_ours:
            raise BackendError("This process was forked inside a transaction, which stays with its parent.")


class Pool:
    """Hands each thread its own connection."""

    def __init__(self, path: Path, connect: Callable[[], sqlite3.Connection]) -> None:
        self._path = path
        self._connect = connect
        self._handles: dict[int, Handle] = {}
        self._lock = threading.Lock()
        self._closed = False
        _POOLS.add(self)

    def enter(self, mode: Mode) -> Handle:
        """Return this thread's connection, one level deeper; the outermost level sets the mode."""
        with self._lock:
            handle = self._handles.get(threading.get_ident())
            if handle is None or handle.thread is not threading.current_thread():
                handle = self._open()
            if handle.depth == 0:
                handle.mode = mode
            handle.depth += 1
            return handle

    def leave(self, handle: Handle) -> None:
        """Go back up one level."""
        with self._lock:
            handle.depth -= 1
            if handle.depth == 0:
                handle.mode = "idle"

    def close(self) -> None:
        """Close every thread's connection; the pool cannot be used again."""
        with self._lock:
            self._closed = True
            self._drop(list(self._handles))

    def _open(self) -> Handle:
        if self._closed:
            raise BackendError(f"The database {self._path} was closed. Open the workspace again.")
        if str(self._path) in _FORKED_IN_USE:
            raise BackendError(
                f"This process was forked while {self._path} was in use. "
                "Start it with the 'spawn' method instead."
            )
        self._drop([ident for ident, handle in self._handles.items() if not handle.thread.is_alive()])
        handle = Handle(self._connect(), threading.current_thread())
        self._handles[threading.get_ident()] = handle
        return handle

    def _drop(self, idents: list[int]) -> None:
        for ident in idents:
            handle = self._handles.pop(ident, None)
            if handle is not None and handle.is_ours:
                handle.connection.close()

    def before_fork(self) -> None:
        """Close what is idle and hold the lock until the fork is over."""
        self._lock.acquire()
        self._drop([ident for ident, handle in self._handles.items() if handle.mode == "idle"])

    def after_fork_in_parent(self) -> None:
        """Release the lock, so that other threads continue."""
        self._lock.release()

    def after_fork_in_child(self) -> None:
        """Forget the parent's connections without closing them."""
        self._lock = threading.Lock()
        if self._handles:
            _FORKED_IN_USE.add(str(self._path))
            _INHERITED.extend(self._handles.values())
            self._handles = {}


_POOLS: weakref.WeakSet[Pool] = weakref.WeakSet()
_FORKED_IN_USE: set[str] = set()
# Never closed: that would release locks that belong to the parent.
_INHERITED: list[Handle] = []
_FORKING: list[Pool] = []


def _before_fork() -> None:
    _FORKING[:] = list(_POOLS)
    for pool in _FORKING:
        pool.before_fork()


def _after_fork(act: Callable[[Pool], None]) -> None:
    for pool in _FORKING:
        act(pool)
    _FORKING.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=lambda: _after_fork(Pool.after_fork_in_parent),
        after_in_child=lambda: _after_fork(Pool.after_fork_in_child),
    )
