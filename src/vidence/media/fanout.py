"""One decoding pass that feeds many consumers, each at its own pace, with little held in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from fractions import Fraction
from queue import Empty, Full, Queue
from typing import Protocol

from vidence.errors import UserError
from vidence.media.cursor import TOLERANCE
from vidence.media.picture import DecodedFrame
from vidence.media.video import VideoReader
from vidence.schema.time import TimeRange

__all__ = ["Consumer", "fan_out"]

# How often a waiting thread checks whether the pass has been stopped.
_POLL_S = 0.1


class Consumer(Protocol):
    """Takes pictures in display order.

    It may have an `every_s` attribute: then it is fed no more than one picture for so many seconds of video.
    """

    def feed(self, picture: DecodedFrame) -> None:
        """Take the next picture."""

    def finish(self) -> None:
        """Complete the work: the pass has ended and no more pictures follow."""


def fan_out(
    reader: VideoReader,
    consumers: Sequence[Consumer],
    *,
    span: TimeRange | None = None,
    skip_non_reference: bool = False,
    threaded: bool = True,
    queue_size: int = 4,
    on_progress: Callable[[DecodedFrame], None] | None = None,
) -> int:
    """Feed the pictures of one pass to every consumer, and return how many were decoded.

    Each consumer runs in a thread of its own behind a queue of `queue_size` pictures (in the calling thread
    when not `threaded`). The first error of any of them stops the pass and is raised; then none is finished.
    """
    if queue_size < 1:
        raise UserError(f"queue_size is {queue_size}; give at least 1.")
    stop = threading.Event()
    lanes = [_Lane(consumer, queue_size, stop) if threaded else _Inline(consumer) for consumer in consumers]
    decoded = 0
    try:
        for picture in reader.frames(span=span, skip_non_reference=skip_non_reference):
            for lane in lanes:
                lane.offer(picture)
            decoded += 1
            if on_progress is not None:
                on_progress(picture)
            if stop.is_set():
                break
        for lane in lanes:
            lane.end()
    except BaseException:
        stop.set()
        raise
    finally:
        for lane in lanes:
            lane.join()
    for lane in lanes:
        lane.raise_error()
    for consumer in consumers:
        consumer.finish()
    return decoded


class _Pace:
    """Decides which pictures a consumer with a wanted rate gets: the first at or past each due time."""

    def __init__(self, consumer: Consumer) -> None:
        every_s: float | None = getattr(consumer, "every_s", None)
        self._step = None if every_s is None else Fraction(every_s).limit_denominator(1_000_000)
        self._due: Fraction | None = None

    def wants(self, picture: DecodedFrame) -> bool:
        if self._step is None or self._step <= 0:
            return True
        if self._due is not None and picture.time < self._due - TOLERANCE:
            return False
        due = picture.time if self._due is None else self._due
        # Whole steps on from the first picture, so that pacing does not drift with the frame rate.
        self._due = due + self._step * (1 + max(Fraction(0), picture.time - due) // self._step)
        return True


class _Inline:
    """A consumer fed in the calling thread."""

    def __init__(self, consumer: Consumer) -> None:
        self._consumer, self._pace = consumer, _Pace(consumer)

    def offer(self, picture: DecodedFrame) -> None:
        if self._pace.wants(picture):
            self._consumer.feed(picture)

    def end(self) -> None:
        """Nothing waits."""

    def join(self) -> None:
        """Nothing runs."""

    def raise_error(self) -> None:
        """Errors were raised where they happened."""


class _Lane:
    """A consumer fed by a thread of its own."""

    def __init__(self, consumer: Consumer, size: int, stop: threading.Event) -> None:
        self._consumer, self._pace, self._stop = consumer, _Pace(consumer), stop
        self._queue: Queue[DecodedFrame | None] = Queue(size)
        self._error: BaseException | None = None
        self._thread = threading.Thread(
            target=self._work, name=f"feed {type(consumer).__name__}", daemon=True
        )
        self._thread.start()

    def offer(self, picture: DecodedFrame) -> None:
        if self._pace.wants(picture):
            self._put(picture)

    def end(self) -> None:
        self._put(None)

    def join(self) -> None:
        self._thread.join()

    def raise_error(self) -> None:
        if self._error is not None:
            raise self._error

    def _put(self, item: DecodedFrame | None) -> None:
        while not self._stop.is_set():
            try:
                self._queue.put(item, timeout=_POLL_S)
            except Full:
                continue
            return

    def _work(self) -> None:
        while not self._stop.is_set():
            try:
                picture = self._queue.get(timeout=_POLL_S)
            except Empty:
                continue
            if picture is None:
                return
            try:
                self._consumer.feed(picture)
            except BaseException as exc:
                self._error = exc
                self._stop.set()
