"""Keep a native library's chatter off the terminal without losing anyone else's words."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["without_stderr_lines"]

_STDERR = 2


@contextmanager
def without_stderr_lines(prefix: bytes) -> Iterator[None]:
    """Hold back what is written to the error stream meanwhile, then pass on all lines but those of `prefix`.

    LiteRT greets once per process from C++ and offers no switch; the line would tear a progress display.
    """
    try:
        kept = os.dup(_STDERR)
    except OSError:
        # No error stream at all, as in some services: there is nothing to keep clean.
        yield
        return
    with tempfile.TemporaryFile() as held:
        try:
            if sys.stderr is not None:
                sys.stderr.flush()
            os.dup2(held.fileno(), _STDERR)
            yield
        finally:
            os.dup2(kept, _STDERR)
            os.close(kept)
            held.seek(0)
            rest = b"".join(line for line in held if not line.startswith(prefix))
            if rest:
                os.write(_STDERR, rest)
