"""Sound that does not change is told by how little, or how evenly, its spectrum varies."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vidence.models.sounds.settle import settle_sounds
from vidence.models.sounds.signal import SignalAnalyser
from vidence.models.sounds.steady import steady_sounds
from vidence.schema.observations import SoundEvent
from vidence.schema.perception import FloatArray

RATE = 16000


def seconds(length: float) -> NDArray[np.float64]:
    return np.arange(int(length * RATE)) / RATE


def coloured(length: float, slope: float, *, level: float = 0.1, seed: int = 0) -> FloatArray:
    """Noise whose power falls with the frequency: 0 is white, 1 pink, 2 brown."""
    count = int(length * RATE)
    spectrum = np.fft.rfft(np.random.default_rng(seed).normal(0, 1, count))
    hertz = np.maximum(np.fft.rfftfreq(count, 1 / RATE), 20)
    noise = np.fft.irfft(spectrum * (hertz / 1000) ** (-slope / 2), count)
    return np.asarray(level * noise / np.sqrt(np.square(noise).mean()), np.float32)


def drops(length: float, a_second: int) -> FloatArray:
    """Rain of a kind: many small knocks of noise at chance moments."""
    rng = np.random.default_rng(1)
    sound = np.zeros(int(length * RATE) + 400)
    for at in rng.integers(0, int(length * RATE), int(length * a_second)):
        sound[at : at + 400] += rng.normal(0, 0.05) * rng.normal(0, 1, 400) * np.exp(-np.arange(400) / 80)
    return np.asarray(sound[: int(length * RATE)], np.float32)


def kinds(samples: FloatArray) -> set[tuple[str, str]]:
    return {(event.event_type, event.description) for event in steady_sounds(samples)}


@pytest.mark.parametrize("slope", [0, 1, 2])
@pytest.mark.parametrize("level", [0.02, 0.1, 0.25])
def test_noise_of_any_colour_and_level_is_noise(slope: float, level: float) -> None:
    sound = coloured(6.5, slope, level=level, seed=int(100 * level) + int(slope))
    (noise,) = steady_sounds(sound)
    assert (noise.event_type, noise.start_time) == ("noise", 0.0)
    assert noise.end_time == pytest.approx(6.5)
    assert noise.confidence >= 0.5


def test_the_hiss_of_a_recorder_is_measured_but_not_heard() -> None:
    hiss = coloured(6, 0, level=0.004)
    (noise,) = steady_sounds(hiss)
    assert noise.confidence < 0.5
    assert settle_sounds([], [], [noise]) == []
    rain = SoundEvent.of("rain", 0, 6, 0.9, "rain")
    assert settle_sounds([], [rain], [noise]) == []


def test_drops_are_no_noise() -> None:
    assert kinds(drops(6, 300)) == set()


def test_noise_that_swells_is_no_steady_noise() -> None:
    swell = coloured(12, 0) * np.asarray(0.3 + 0.7 * np.sin(2 * np.pi * seconds(12) / 6) ** 2, np.float32)
    assert kinds(swell) == set()


@pytest.mark.parametrize(("hertz", "kind"), [(60, ("hum", "")), (220, ("hum", "")), (440, ("beep", "tone"))])
def test_a_tone_that_holds_is_a_hum_or_a_tone(hertz: float, kind: tuple[str, str]) -> None:
    buzz = sum(0.2 / k * np.sin(2 * np.pi * hertz * k * seconds(5)) for k in range(1, 6))
    assert kinds(np.asarray(buzz, np.float32)) == {kind}


def test_a_tone_that_wavers_or_dies_away_is_none() -> None:
    vibrato = np.sin(2 * np.pi * 440 * seconds(6) + 8 * np.sin(2 * np.pi * 5 * seconds(6)))
    bell = np.sin(2 * np.pi * 440 * seconds(6)) * np.exp(-seconds(6) / 1.5)
    assert kinds(np.asarray(0.3 * vibrato, np.float32)) == set()
    assert kinds(np.asarray(0.3 * bell, np.float32)) == set()


def test_a_held_tone_is_a_beep_and_evenly_repeated_ones_are_an_alarm() -> None:
    tone = 0.3 * np.sin(2 * np.pi * 1000 * seconds(6))
    held = {(e.event_type, e.description) for e in SignalAnalyser().analyse(tone.astype(np.float32))}
    assert held == {("beep", "tone")}
    beeping = (tone * (seconds(6) % 1 < 0.3)).astype(np.float32)
    assert {e.event_type for e in SignalAnalyser().analyse(beeping)} == {"alarm"}


def test_a_constant_in_the_samples_is_silence() -> None:
    assert {e.event_type for e in SignalAnalyser().analyse(np.full(4 * RATE, 0.3, np.float32))} == {"silence"}


def test_true_silence_after_a_recording_with_a_constant_is_silence() -> None:
    sound = np.concatenate([coloured(4, 1, level=0.05) + np.float32(0.01), np.zeros(2 * RATE, np.float32)])
    (silence,) = [e for e in SignalAnalyser().analyse(sound) if e.event_type == "silence"]
    assert (silence.start_time, silence.end_time) == pytest.approx((4, 6), abs=0.05)


NOISE = SoundEvent.of("noise", 0, 10, 0.8)
TONE = SoundEvent.of("beep", 0, 10, 0.8, "tone")
HUM = SoundEvent.of("hum", 0, 10, 0.8)


@pytest.mark.parametrize(
    ("named", "signal"),
    [
        (SoundEvent.of("rain", 0, 10, 0.96, "rain"), NOISE),
        (SoundEvent.of("phone_ringing", 0, 10, 0.96, "phone_ringing"), TONE),
        (SoundEvent.of("crickets", 0, 10, 0.9, "crickets"), TONE),
        (SoundEvent.of("alarm", 0, 10, 0.9, "siren"), HUM),
    ],
)
def test_a_name_for_what_only_holds_gives_way(named: SoundEvent, signal: SoundEvent) -> None:
    assert settle_sounds([], [named], [signal]) == [signal]


@pytest.mark.parametrize("steady", [NOISE, HUM, TONE])
def test_music_is_not_what_only_holds(steady: SoundEvent) -> None:
    assert settle_sounds([SoundEvent.of("music", 0, 10, 0.95)], [], [steady]) == [steady]


@pytest.mark.parametrize(
    "named", [SoundEvent.of("wind", 0, 10, 0.8, "wind"), SoundEvent.of("engine", 0, 10, 0.8, "engine")]
)
def test_machines_and_wind_may_be_steady(named: SoundEvent) -> None:
    assert settle_sounds([], [named], [NOISE]) == [named]


def test_rain_that_begins_with_noise_stays_rain() -> None:
    rain = SoundEvent.of("rain", 0, 30, 0.9, "rain")
    assert rain in settle_sounds([], [rain], [NOISE])


def test_a_sheep_is_no_singer_but_applause_may_join_one() -> None:
    singing = SoundEvent.of("singing", 1, 4, 0.7)
    sheep = SoundEvent.of("sheep", 0, 5, 0.97, "sheep")
    applause = SoundEvent.of("applause", 0, 5, 0.97, "clapping")
    assert settle_sounds([singing], [sheep], []) == [sheep]
    assert singing in settle_sounds([singing], [applause], [])
