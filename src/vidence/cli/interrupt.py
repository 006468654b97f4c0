"""Ctrl-C: once stops in order, twice leaves at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

from vidence.cli.options import KEPT
from vidence.cli.terminal import Terminal

__all__ = ["INTERRUPTED", "stops_at_interrupt"]

INTERRUPTED = 130
_SHOW_CURSOR = "\x1b[?25h"


@contextmanager
def stops_at_interrupt(terminal: Terminal) -> Iterator[None]:
    """Say so when the first Ctrl-C comes, since work in hand takes a moment to stop; a second one ends it.

    Nothing is lost by leaving at once: what is committed is whole, as after a kill.
    """
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        # Whoever handles it otherwise, or has switched it off, goes on doing so.
        yield
        return

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        signal.signal(signal.SIGINT, _leave)
        # Caught in the middle of writing to the same stream, the stop matters more than the note.
        with suppress(RuntimeError):
            terminal.note("stopping; press Ctrl-C again to leave at once")
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    # Threads that cannot be interrupted would be waited for on any orderly way out.
    shown = _SHOW_CURSOR if sys.stderr.isatty() else ""
    os.write(2, f"{shown}\nerror: left at once; {KEPT}\n".encode())
    os._exit(INTERRUPTED)
