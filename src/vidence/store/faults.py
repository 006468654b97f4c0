"""Translates errors of the disk into one line that says what to do."""

from __future__ import annotations

import errno
from pathlib import Path

from vidence.errors import BackendError, UserError, VidenceError

__all__ = ["ELSEWHERE_REMEDY", "SPACE_REMEDY", "disk_fault"]

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NOT_PERMITTED = {errno.EACCES, errno.EPERM, errno.EROFS}

SPACE_REMEDY = "Free some space and run the same command again; nothing already saved is lost."
ELSEWHERE_REMEDY = "Check its permissions, or set VIDENCE_HOME to a folder you can write to."


def disk_fault(exc: OSError, path: Path) -> VidenceError:
    """Return the error to raise for `exc`, met while writing `path`."""
    if exc.errno in _NO_SPACE:
        return BackendError(f"No space left to write {path}. {SPACE_REMEDY}")
    if exc.errno in _NOT_PERMITTED:
        return BackendError(f"{path} cannot be written. {ELSEWHERE_REMEDY}")
    if exc.errno in (errno.ENOTDIR, errno.EEXIST):
        return UserError(
            f"{path} cannot be made: there is a file where a folder should be. {ELSEWHERE_REMEDY}"
        )
    return BackendError(f"{path} cannot be written: {exc.strerror or exc}.")
