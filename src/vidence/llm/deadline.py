"""Calls with a hard deadline: work runs in a thread of its own, and the caller can always stop waiting.

A read timeout does not bound a call: a server that sends a byte a second never exceeds it. Here the caller
waits on a queue until the deadline, so Ctrl-C works and no server can hold the caller longer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TypeVar, cast

from vidence.llm.protocol import OnText

__all__ = ["Abandoned", "Deadline", "DeadlinePassed", "run_within"]

_BEAT_S = 0.25
T = TypeVar("T")


class DeadlinePassed(Exception):
    """A call did not end before its deadline."""


class Abandoned(Exception):
    """The caller no longer waits for this work."""


@dataclass(frozen=True)
class Deadline:
    """A time on the monotonic clock; None means never."""

    at: float | None

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        return cls(None if seconds is None else time.monotonic() + seconds)

    @property
    def left_s(self) -> float | None:
        """Seconds until the deadline, never negative."""
        return None if self.at is None else max(self.at - time.monotonic(), 0.0)


def run_within(
    timeout_s: float | None,
    run: Callable[[OnText], T],
    *,
    on_text: OnText | None = None,
    stop: Callable[[], None],
) -> T:
    """Return what `run` returns, or raise DeadlinePassed after `timeout_s` whatever it is doing.

    Args:
        run: gets a function to call with each piece of text; it raises Abandoned once nobody waits.
        on_text: called with each piece in the caller's thread; may raise to stop.
        stop: called once when unfinished work is abandoned, to close the connection it waits on.
    """
    news: SimpleQueue[tuple[str, object]] = SimpleQueue()
    abandoned, ended = threading.Event(), threading.Event()

    def emit(piece: str) -> None:
        if abandoned.is_set():
            raise Abandoned
        news.put(("text", piece))

    def work() -> None:
        try:
            outcome: tuple[str, object] = ("done", run(emit))
        except BaseException as exc:
            outcome = ("failed", exc)
        ended.set()
        news.put(outcome)

    deadline = Deadline.after(timeout_s)
    threading.Thread(target=work, name="vidence-llm", daemon=True).start()
    try:
        return cast(T, _wait(news, deadline, on_text))
    except BaseException:
        abandoned.set()
        if not ended.is_set():
            stop()
        raise


def _wait(news: SimpleQueue[tuple[str, object]], deadline: Deadline, on_text: OnText | None) -> object:
    while True:
        left = deadline.left_s
        try:
            kind, told = news.get(timeout=_BEAT_S if left is None else min(left, _BEAT_S))
        except Empty:
            if deadline.left_s == 0.0:
                raise DeadlinePassed from None
            kind, told = "text", ""
        if kind == "done":
            return told
        if isinstance(told, BaseException):
            raise told
        if on_text is not None:
            on_text(str(told))
        if deadline.left_s == 0.0:
            raise DeadlinePassed
