"""A timestamp that leaps away alone is damage; a clock that goes on from its leap is believed."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from av.audio.frame import AudioFrame

from vidence.media.audio import without_strays

RATE, SIZE = 48_000, 1024


def frames(stamps: Sequence[int | None]) -> list[AudioFrame]:
    made = []
    for pts in stamps:
        frame = AudioFrame.from_ndarray(np.zeros((1, SIZE), np.float32), format="fltp", layout="mono")
        frame.sample_rate, frame.time_base, frame.pts = RATE, Fraction(1, RATE), pts
        made.append(frame)
    return made


def kept(stamps: Sequence[int | None]) -> list[int | None]:
    return [frame.pts for frame in without_strays(iter(frames(stamps)))]


def steady(count: int, start: int = 0) -> list[int | None]:
    return [start + number * SIZE for number in range(count)]


def test_an_even_clock_stays_as_it_is() -> None:
    assert kept(steady(200)) == steady(200)
    assert kept([]) == []


def test_a_few_frames_that_leap_away_lose_their_times() -> None:
    for leap in (20 * RATE, -20 * RATE, 10_000 * RATE):
        stamps = steady(300)
        stamps[100:106] = [pts + leap for pts in stamps[100:106] if pts is not None]
        expected = steady(300)
        expected[100:106] = [None] * 6
        assert kept(stamps) == expected


def test_a_clock_that_goes_on_from_its_leap_is_believed() -> None:
    for leap in (20 * RATE, -90 * SIZE):
        stamps = steady(100) + steady(100, 100 * SIZE + leap)
        assert kept(stamps) == stamps


def test_a_leap_near_the_end_is_believed_and_no_frame_is_lost() -> None:
    stamps = steady(100) + steady(5, 40 * RATE)
    assert kept(stamps) == stamps


def test_a_second_leap_after_the_first_is_seen_too() -> None:
    stamps = steady(300)
    for at in (50, 180):
        stamps[at] = 500 * RATE
    expected = steady(300)
    expected[50] = expected[180] = None
    assert kept(stamps) == expected


def test_frames_without_times_pass() -> None:
    stamps: list[int | None] = [None, *steady(10, SIZE), None, None, *steady(10, 13 * SIZE)]
    assert kept(stamps) == stamps
