"""Ctrl-C: stop in order within a moment, or leave at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

from vidence.cli.options import KEPT

__all__ = ["stops_at_interrupt"]

_GRACE_S = 1.2
"""How long an orderly end may take after the first Ctrl-C."""
_INTERRUPTED = 130
_SHOW_CURSOR = "\x1b[?25h"


@contextmanager
def stops_at_interrupt(note: Callable[[str], None]) -> Iterator[None]:
    """Stop in order at the first Ctrl-C, but not longer than a moment; exit at once at the second.

    A model that is computing cannot be interrupted, so what is not done by then is left. Nothing is lost by
    that: what is committed is whole, as after a kill.
    """
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        # Another handler, or none at all, was chosen by the caller: leave it.
        yield
        return

    patience = threading.Timer(_GRACE_S, _give_up)
    patience.daemon = True

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        signal.signal(signal.SIGINT, _leave)
        # The signal may arrive while this stream is written to; stopping matters more than the note.
        with suppress(RuntimeError):
            note("stopping; press Ctrl-C again to leave at once")
        patience.start()
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        patience.cancel()
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    _exit("left at once")


def _give_up() -> NoReturn:
    _exit("stopped")


def _exit(how: str) -> NoReturn:
    # An orderly exit would wait for threads that cannot be interrupted.
    shown = _SHOW_CURSOR if sys.stderr.isatty() else ""
    os.write(2, f"{shown}\nerror: {how}; {KEPT}\n".encode())
    os._exit(_INTERRUPTED)
