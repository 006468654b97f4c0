"""Turns what SQLite and the disk complain about into one line that says what to do."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

from vidence.errors import BackendError, UserError, VidenceError

__all__ = ["disk_fault", "is_busy", "sqlite_fault"]

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NOT_PERMITTED = {errno.EACCES, errno.EPERM, errno.EROFS}
# SQLITE_PROTOCOL: the race for a read lock was lost for seconds, as happens on a starved machine.
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}

_SPACE_REMEDY = "Free some space and run the same command again; nothing already saved is lost."
_ELSEWHERE_REMEDY = "Check its permissions, or set VIDENCE_HOME to a folder you can write to."


def is_busy(exc: sqlite3.Error) -> bool:
    """Say whether `exc` only means that someone else is writing."""
    return _code(exc) in _BUSY


def sqlite_fault(exc: sqlite3.Error, path: Path) -> VidenceError:
    """Return the error to raise for `exc`, met on the database at `path`."""
    code = _code(exc)
    if code == sqlite3.SQLITE_NOTADB:
        return UserError(
            f"{path} is not a vidence database. Move it away, or set VIDENCE_HOME to another folder."
        )
    if code == sqlite3.SQLITE_CORRUPT:
        return BackendError(
            f"The database {path} is damaged. Restore it from a backup, "
            "or move it away and add your videos again."
        )
    if code in _BUSY:
        return BackendError(f"The database {path} is kept busy by another process. Wait for it, or stop it.")
    if code == sqlite3.SQLITE_FULL:
        return BackendError(f"No space left for the database {path}. {_SPACE_REMEDY}")
    if code == sqlite3.SQLITE_IOERR:
        return BackendError(
            f"The database {path} could not be read or written ({exc}): a full disk, a quota "
            f"or a failing one. {_SPACE_REMEDY}"
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return BackendError(f"The database {path} cannot be opened for writing. {_ELSEWHERE_REMEDY}")
    if getattr(exc, "sqlite_errorcode", 0) == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
        return UserError(
            "The video is not in the catalogue (any more): it was removed, maybe while being worked on. "
            "Add it again with `vidence add`."
        )
    return BackendError(f"The database {path} failed: {exc}.")


def disk_fault(exc: OSError, path: Path) -> VidenceError:
    """Return the error to raise for `exc`, met while writing `path`."""
    if exc.errno in _NO_SPACE:
        return BackendError(f"No space left to write {path}. {_SPACE_REMEDY}")
    if exc.errno in _NOT_PERMITTED:
        return BackendError(f"{path} cannot be written. {_ELSEWHERE_REMEDY}")
    if exc.errno in (errno.ENOTDIR, errno.EEXIST):
        return UserError(
            f"{path} cannot be made: there is a file where a folder should be. {_ELSEWHERE_REMEDY}"
        )
    return BackendError(f"{path} cannot be written: {exc.strerror or exc}.")


def _code(exc: sqlite3.Error) -> int:
    # The low byte is the primary code; the rest only refines it.
    return getattr(exc, "sqlite_errorcode", 0) & 0xFF
