"""A home folder that only its owner can read: it holds what was said, seen and asked."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from vidence.errors import BackendError
from vidence.store.faults import disk_fault

__all__ = ["can_keep", "make_private", "make_private_file"]

_OTHERS = 0o077
_ROOM_BYTES = 1 << 20
_OWN = (
    "vidence.db*",
    "vidence.toml",
    "blobs",
    "locks",
    "traces",
    "uploads",
    "vectors",
    "bench",
    "prompts",
    ".room-*",
)
"""What vidence itself puts into a home folder."""


def make_private(home: Path) -> None:
    """Make the folder for its owner alone; in one that is there, shut what vidence put there.

    A folder that holds other things too (`VIDENCE_HOME=/data`) keeps its own permissions.
    """
    try:
        if not home.is_dir():
            home.mkdir(parents=True, exist_ok=True, mode=0o700)
        own = [path for pattern in _OWN for path in home.glob(pattern)]
        if not {path.name for path in home.iterdir()} - {path.name for path in own}:
            _shut(home)
        for path in own:
            _shut(path)
    except OSError as exc:
        raise disk_fault(exc, home) from exc


def make_private_file(path: Path) -> None:
    """Make an empty file for its owner alone, where there is none; whoever opens it says what is wrong."""
    with suppress(OSError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def can_keep(home: Path) -> bool:
    """Say whether a folder can be made or written and its disk has room for what one question adds."""
    probe = home / f".room-{os.getpid()}"
    try:
        make_private(home)
        probe.write_bytes(bytes(_ROOM_BYTES))
    except (OSError, BackendError):
        return False
    finally:
        with suppress(OSError):
            probe.unlink()
    return True


def _shut(path: Path) -> None:
    """Take away what others may do with a file or folder of ours; somebody else's stays."""
    with suppress(OSError):
        found = path.lstat()
        is_ours = not hasattr(os, "getuid") or found.st_uid == os.getuid()
        if found.st_mode & _OTHERS and is_ours and not stat.S_ISLNK(found.st_mode):
            path.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)
