"""One pass feeds many consumers; errors and interrupts stop it cleanly."""

from __future__ import annotations

import gc
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.media.clips import even_ticks, make_clip, number_in
from vidence.errors import UserError
from vidence.media import DecodedFrame, fan_out, open_video
from vidence.schema.time import TimeRange


class Collector:
    """Notes the number of every picture it is fed."""

    def __init__(self, every_s: float | None = None, delay_s: float = 0, fail_at: int | None = None) -> None:
        self.every_s, self.delay_s, self.fail_at = every_s, delay_s, fail_at
        self.seen: list[int] = []
        self.finished = 0

    def feed(self, picture: DecodedFrame) -> None:
        if picture.index == self.fail_at:
            raise ValueError("consumer broke")
        time.sleep(self.delay_s)
        self.seen.append(number_in(picture.gray()))

    def finish(self) -> None:
        self.finished += 1


def threads_since(before: set[threading.Thread]) -> set[threading.Thread]:
    """The threads begun since and still running: one that another test left behind may end meanwhile."""
    return set(threading.enumerate()) - before


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("fan") / "a.mp4", ticks=even_ticks(100))


@pytest.mark.parametrize("threaded", [True, False])
def test_every_consumer_sees_its_share_in_order(clip: Path, threaded: bool) -> None:
    whole, paced, rare = Collector(), Collector(every_s=0.2), Collector(every_s=1.0, delay_s=0.01)
    with open_video(clip) as reader:
        assert fan_out(reader, [whole, paced, rare], threaded=threaded) == 100
    assert whole.seen == list(range(100))
    assert paced.seen == list(range(0, 100, 5))
    assert rare.seen == [0, 25, 50, 75]
    assert [each.finished for each in (whole, paced, rare)] == [1, 1, 1]


def test_a_span_is_kept_to(clip: Path) -> None:
    whole = Collector()
    with open_video(clip) as reader:
        fan_out(reader, [whole], span=TimeRange(start_time=1, end_time=2))
    assert whole.seen == list(range(25, 50))


@pytest.mark.parametrize("threaded", [True, False])
def test_an_error_stops_the_pass_and_is_raised(clip: Path, threaded: bool) -> None:
    broken, other = Collector(fail_at=3), Collector(delay_s=0.01)
    before = set(threading.enumerate())
    with open_video(clip) as reader, pytest.raises(ValueError, match="consumer broke"):
        fan_out(reader, [broken, other], threaded=threaded)
    assert len(other.seen) < 50
    assert (broken.finished, other.finished) == (0, 0)
    assert not threads_since(before)


def test_an_interrupt_stops_the_pass_and_its_threads(clip: Path) -> None:
    slow = Collector(delay_s=0.01)
    before = set(threading.enumerate())

    def interrupt(picture: DecodedFrame) -> None:
        if picture.index == 10:
            raise KeyboardInterrupt

    with open_video(clip) as reader, pytest.raises(KeyboardInterrupt):
        fan_out(reader, [slow], on_progress=interrupt)
    assert not threads_since(before)
    assert not slow.finished


def test_few_pictures_are_alive_at_once(clip: Path) -> None:
    counts: list[int] = []
    # Held, so that no picture of this pass gets the identity of one that other tests left behind.
    others = [thing for thing in gc.get_objects() if type(thing) is DecodedFrame]

    class Counter(Collector):
        def feed(self, picture: DecodedFrame) -> None:
            super().feed(picture)
            if picture.index % 20 == 0:
                alive = sum(type(thing) is DecodedFrame for thing in gc.get_objects())
                counts.append(alive - len(others))

    with open_video(clip) as reader:
        fan_out(reader, [Counter(delay_s=0.002), Collector()], queue_size=3)
    assert max(counts) <= 12


def test_consumers_may_keep_what_they_make(clip: Path) -> None:
    class Keeper(Collector):
        def __init__(self) -> None:
            super().__init__()
            self.images: list[NDArray[np.uint8]] = []

        def feed(self, picture: DecodedFrame) -> None:
            self.images.append(picture.gray())

    keeper = Keeper()
    with open_video(clip) as reader:
        fan_out(reader, [keeper])
    assert [number_in(image) for image in keeper.images] == list(range(100))


def test_an_empty_queue_is_refused(clip: Path) -> None:
    with open_video(clip) as reader, pytest.raises(UserError, match="queue_size"):
        fan_out(reader, [Collector()], queue_size=0)
