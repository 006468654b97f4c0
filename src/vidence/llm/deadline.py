"""Calls with a hard deadline: work runs in a thread of its own, and the caller can always stop waiting.

A read timeout does not bound a call: a server that sends a byte a second never exceeds it. Here the caller
waits on a queue until the deadline, so Ctrl-C works and no server can hold the caller longer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

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


@dataclass
class _Work(Generic[T]):
    run: Callable[[OnText], T]
    news: SimpleQueue[tuple[str, object]] = field(default_factory=SimpleQueue)
    abandoned: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        threading.Thread(target=self._body, name="vidence-llm", daemon=True).start()

    def emit(self, piece: str) -> None:
        if self.abandoned.is_set():
            raise Abandoned
        self.news.put(("text", piece))

    def _body(self) -> None:
        try:
            outcome: tuple[str, object] = ("done", self.run(self.emit))
        except BaseException as exc:
            outcome = ("failed", exc)
        self.ended.set()
        self.news.put(outcome)


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
    work, deadline = _Work(run), Deadline.after(timeout_s)
    work.start()
    try:
        return _wait(work, deadline, on_text)
    except BaseException:
        work.abandoned.set()
        if not work.ended.is_set():
            stop()
        raise


def _wait(work: _Work[T], deadline: Deadline, on_text: OnText | None) -> T:
    while True:
        left = deadline.left_s
        try:
            kind, news = work.news.get(timeout=_BEAT_S if left is None else min(left, _BEAT_S))
        except Empty:
            if deadline.left_s == 0.0:
                raise DeadlinePassed from None
            kind, news = "text", ""
        if kind == "done":
            return news  # type: ignore[return-value]
        if kind == "failed":
            assert isinstance(news, BaseException)
            raise news
        if on_text is not None:
            on_text(str(news))
        if deadline.left_s == 0.0:
            raise DeadlinePassed
