"""Find sound that does not change: steady noise, hum and held tones.

A network that must choose among fifty sounds calls steady noise rain and a steady tone a telephone. The
signal itself decides: the power of each frequency varies over time by as much as its mean in noise, not at
all in a tone, and by more in anything that drops, rattles, speaks or plays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vidence.models.sounds.mel import power_spectrum
from vidence.models.speech.windows import RATE
from vidence.schema.observations import SoundEvent
from vidence.schema.perception import FloatArray

__all__ = ["HUM", "NOISE", "TONE", "steady_sounds"]

NOISE, HUM, TONE = "noise", "hum", "tone"

_FFT, _HOP = 1024, 512
_HANN = np.hanning(_FFT).astype(np.float32)
_SHORT = RATE // 10
_WINDOW_S = 3
"""Seconds judged together, a second at a time."""
_QUIETEST_DB, _WIDEST_DB = -55.0, 3.0
_PLAIN_DB = -40.0
"""Softer noise is only the room or the recorder."""
# Of 32 recordings of rain one comes near these limits; noise through AAC at 96 kbit/s and Opus keeps them.
_NOISE = (1.85, 2.05)
_RESTLESS = (0.5, 1.4)
"""How much the level may vary, as a multiple of what noise of that spectrum does by chance."""
# Engines and washing machines, the steadiest of real sounds, begin at 1.27.
_TONAL, _TONAL_DB = 1.15, 0.5
_LOW_HZ = 350.0
_BAND = 1e-4
"""Frequencies weaker than this share of the strongest are ignored."""
_HERTZ = np.fft.rfftfreq(_FFT, 1 / RATE)
_AUDIBLE = np.asarray([60 < hertz < 7500 for hertz in _HERTZ.tolist()])


@dataclass(frozen=True)
class _Second:
    """The sums over one second's spectra that measure how much each frequency varies."""

    frames: int
    power: NDArray[np.float64]
    square: NDArray[np.float64]
    levels: NDArray[np.float64]


def steady_sounds(samples: FloatArray) -> list[SoundEvent]:
    """Return stretches of steady noise, hum and tone, in seconds from the first sample."""
    seconds = [_second(samples, at) for at in range(len(samples) // RATE)]
    spans: dict[str, list[tuple[int, int, float]]] = {}
    for at in range(len(seconds) - _WINDOW_S + 1):
        window = [one for one in seconds[at : at + _WINDOW_S] if one is not None]
        kind = _kind(window) if len(window) == _WINDOW_S else None
        if kind is not None:
            level = float(np.mean([one.levels.mean() for one in window]))
            _extend(spans.setdefault(kind, []), at, at + _WINDOW_S, level)
    return [event for kind, found in spans.items() for event in _events(kind, found, len(samples) / RATE)]


def _extend(spans: list[tuple[int, int, float]], start: int, end: int, level: float) -> None:
    if spans and start <= spans[-1][1]:
        spans[-1] = (spans[-1][0], end, max(level, spans[-1][2]))
    else:
        spans.append((start, end, level))


def _events(kind: str, spans: list[tuple[int, int, float]], duration_s: float) -> Iterator[SoundEvent]:
    for start, end, level in spans:
        # The rest of the last second is too short to judge; it joins the second before.
        until = duration_s if duration_s - end < 1 else float(end)
        sure = 0.5 + 0.45 * min(1.0, max(0.0, (level - _QUIETEST_DB) / -_QUIETEST_DB))
        if kind == NOISE:
            sure = sure if level >= _PLAIN_DB else 0.3
        label = "beep" if kind == TONE else kind
        yield SoundEvent.of(label, float(start), until, sure, TONE if kind == TONE else "")


def _second(samples: FloatArray, at: int) -> _Second | None:
    """Return the sums of one second, or None where it is silent or changes too much to be steady."""
    part = samples[at * RATE : (at + 1) * RATE].astype(np.float64)
    levels = 10 * np.log10(np.square(part.reshape(-1, _SHORT)).mean(axis=1) + 1e-12)
    if levels.mean() < _QUIETEST_DB or levels.std() > _WIDEST_DB:
        return None
    frames = np.lib.stride_tricks.sliding_window_view(samples[at * RATE : (at + 1) * RATE + _FFT], _FFT)[
        ::_HOP
    ]
    power = power_spectrum(frames * _HANN) + 1e-16
    return _Second(len(frames), power.sum(axis=0), np.square(power).sum(axis=0), levels)


def _kind(window: list[_Second]) -> str | None:
    count = sum(one.frames for one in window)
    power = sum((one.power for one in window), np.zeros(len(_HERTZ))) / count
    square = sum((one.square for one in window), np.zeros(len(_HERTZ))) / count
    smooth = np.convolve(power, np.ones(9) / 9, mode="same")
    band = _AUDIBLE & (smooth > _BAND * smooth.max())
    if not band.any():
        return None
    varying = square[band] / np.square(power[band])
    spread = float(np.concatenate([one.levels for one in window]).std())
    by_energy = float((varying * power[band]).sum() / power[band].sum())
    if by_energy < _TONAL and spread < _TONAL_DB:
        return HUM if _HERTZ[int(power.argmax())] < _LOW_HZ else TONE
    width_hz = power.sum() ** 2 / np.square(power).sum() * RATE / _FFT
    restless = spread / (4.34 / np.sqrt(width_hz * _SHORT / RATE))
    is_noise = _NOISE[0] <= np.median(varying) <= _NOISE[1] and _RESTLESS[0] <= restless <= _RESTLESS[1]
    return NOISE if is_noise else None
