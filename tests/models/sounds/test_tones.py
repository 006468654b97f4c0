"""Beeps, and what makes an alarm of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vidence.models.sounds.signal import SignalAnalyser
from vidence.schema.observations import SoundEvent

RATE = 16000


def beep(length: float, hertz: float = 2000.0, *, overtones: bool = True) -> NDArray[np.float64]:
    t = np.arange(int(length * RATE)) / RATE
    return 0.25 * np.sin(2 * np.pi * hertz * t) + overtones * 0.08 * np.sin(2 * np.pi * 3 * hertz * t)


def quiet(length: float) -> NDArray[np.float64]:
    return np.zeros(int(length * RATE))


def tones(*parts: NDArray[np.float64]) -> list[SoundEvent]:
    sound = np.concatenate([quiet(1.0), *parts, quiet(1.0)]).astype(np.float32)
    return [event for event in SignalAnalyser().analyse(sound) if event.event_type in ("beep", "alarm")]


@pytest.mark.parametrize("gap_s", [0.045, 0.1, 0.3])
def test_an_alarm_clock_beeps_four_times_and_again(gap_s: float) -> None:
    four = [part for _ in range(4) for part in (beep(0.08), quiet(gap_s))]
    (alarm,) = tones(*four, quiet(0.3), *four)
    assert alarm.event_type == "alarm"
    assert alarm.start_time == pytest.approx(1.0, abs=0.05)


def test_one_short_beep_is_a_beep() -> None:
    (only,) = tones(beep(0.15))
    assert (only.event_type, only.description) == ("beep", "")


def test_beeps_without_time_are_no_alarm() -> None:
    gaps = (0.1, 0.9, 0.25, 1.3, 0.4)
    found = tones(*(part for gap in gaps for part in (beep(0.15), quiet(gap))))
    assert {event.event_type for event in found} == {"beep"}


def test_plucked_notes_are_no_beeps() -> None:
    fading = np.exp(-np.arange(int(0.3 * RATE)) / (0.06 * RATE))
    notes = [part for _ in range(5) for part in (beep(0.3, 440.0) * fading, quiet(0.2))]
    assert tones(*notes) == []
