"""Find pure tones: beeps, and alarms made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from vidence.models.sounds.mel import power_spectrum
from vidence.models.sounds.steady import TONE
from vidence.models.sounds.stream import runs
from vidence.models.speech.windows import RATE
from vidence.schema.observations import SoundEvent
from vidence.schema.perception import FloatArray

__all__ = ["SHORTEST", "tones"]

_FFT, _FFT_HOP = 1024, 320
SHORTEST = _FFT
"""Samples below which there is nothing to measure."""
_HANN = np.hanning(_FFT).astype(np.float32)
_AT_ONCE = 128
"""Frames whose spectra fit into a core's cache together."""
_TONE_HZ = (350.0, 6000.0)
_TONE_SHARE, _TONE_LEVEL_DB = 0.92, -45.0
_TONE_DRIFT = 0.006
_BEEP_S, _TONE_S = 0.1, 2.0
_BEEPS, _BEEP_GAP_S = 3, 1.6
_EVEN = 0.6
"""Alarms repeat at even intervals; birds and voices do not."""
_ALIKE, _MOSTLY, _GROUPED = 0.2, 0.75, 5
_LEVEL_HOP = RATE // 100
_KEYED, _KEYED_DB, _FLAT_DB = (5, 70), 20.0, 1.5
"""Steps of 10 ms a keyed tone lasts, how far the level falls around it, how even it is within."""
_AROUND, _EDGE = 30, 3


@dataclass(frozen=True)
class _Tone:
    start_s: float
    end_s: float
    hertz: float
    purity: float


def tones(samples: FloatArray, level: FloatArray) -> Iterator[SoundEvent]:
    """Yield pure tones: one repeated evenly is an alarm, one held long or alone is a beep.

    Args:
        level: in dB below full scale, of every 10 ms.
    """
    pure = [one for one in _steady(*_spectrum(samples)) if one.end_s - one.start_s >= _BEEP_S]
    beeps = _together(pure, list(_keyed(samples, level)))
    used: set[int] = set()
    for i, first in enumerate(beeps):
        if i in used:
            continue
        series = [i]
        for j in range(i + 1, len(beeps)):
            near = beeps[j].start_s - beeps[series[-1]].end_s <= _BEEP_GAP_S
            if near and abs(beeps[j].hertz / first.hertz - 1) <= 2 * _TONE_DRIFT:
                series.append(j)
        used.update(series)
        yield from _named([beeps[j] for j in series])


def _named(series: Sequence[_Tone]) -> Iterator[SoundEvent]:
    """Yield tones of one pitch as one alarm or as single beeps."""
    even = _evenness([one.start_s for one in series]) if len(series) >= _BEEPS else 0.0
    if even >= _EVEN:
        sure = min(0.95, series[0].purity * (0.5 + 0.45 * even))
        yield SoundEvent.of("alarm", series[0].start_s, max(one.end_s for one in series), sure)
        return
    for one in series:
        held = TONE if one.end_s - one.start_s >= _TONE_S else ""
        yield SoundEvent.of("beep", one.start_s, one.end_s, min(0.8, 0.7 * one.purity), held)


def _together(pure: Sequence[_Tone], keyed: Sequence[_Tone]) -> list[_Tone]:
    """Merge both findings of the same beeps: keyed tones win where they split one pure tone."""
    kept = list[_Tone]()
    for one in pure:
        parts = [other for other in keyed if other.start_s < one.end_s and one.start_s < other.end_s]
        kept += parts if len(parts) > 1 else [one]
    kept += [one for one in keyed if not any(one.start_s < p.end_s and p.start_s < one.end_s for p in pure)]
    return sorted(dict.fromkeys(kept), key=lambda one: one.start_s)


def _keyed(samples: FloatArray, level: FloatArray) -> Iterator[_Tone]:
    """Yield short tones switched on and off at once, as electronics do; overtones count as theirs."""
    padded = np.pad(level, _AROUND, mode="edge")
    loudest = np.lib.stride_tricks.sliding_window_view(padded, 2 * _AROUND + 1).max(axis=1)
    is_on = (level > loudest - _KEYED_DB / 2) & (level > _TONE_LEVEL_DB)
    for first, last in runs(is_on):
        if not _KEYED[0] <= last - first <= _KEYED[1] or first < _EDGE or last + _EDGE > len(level):
            continue
        on, off = level[first + 1 : last - 1], max(level[first - _EDGE], level[last + _EDGE - 1])
        if on.std() > _FLAT_DB or off > on.mean() - _KEYED_DB:
            continue
        hertz, share = _pitch(samples[(first + 1) * _LEVEL_HOP : (last - 1) * _LEVEL_HOP])
        if share >= _TONE_SHARE:
            yield _Tone(first * _LEVEL_HOP / RATE, last * _LEVEL_HOP / RATE, hertz, share)


def _pitch(samples: FloatArray) -> tuple[float, float]:
    """Return the strongest frequency in Hz, and the share of the energy it has with its overtones."""
    size = 4 * _FFT
    power = np.square(np.abs(np.fft.rfft(samples * np.hanning(len(samples)), size)))
    low, high = (int(hertz * size / RATE) for hertz in _TONE_HZ)
    peak = low + int(power[low:high].argmax())
    # A window's main lobe is as wide as four of its own steps.
    lobe = max(2, 2 * size // len(samples))
    mine = np.zeros(len(power), dtype=bool)
    for overtone in range(peak, len(power), peak):
        mine[max(0, overtone - lobe) : overtone + lobe + 1] = True
    return peak * RATE / size, float(power[mine].sum() / (power.sum() + 1e-9))


def _spectrum(samples: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return, every 20 ms, the strongest frequency in Hz and its share of the energy (0 where too soft)."""
    frames = np.lib.stride_tricks.sliding_window_view(samples, _FFT)[::_FFT_HOP]
    hertz = np.zeros(len(frames), dtype=np.float32)
    share = np.zeros(len(frames), dtype=np.float32)
    for first in range(0, len(frames), _AT_ONCE):
        part = frames[first : first + _AT_ONCE]
        loud = np.flatnonzero(10 * np.log10(np.square(part).mean(axis=1) + 1e-12) >= _TONE_LEVEL_DB)
        if len(loud):
            hertz[first + loud], share[first + loud] = _strongest(part[loud])
    return hertz, share


def _strongest(frames: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the strongest frequency of each frame in Hz and its share of the energy."""
    power = power_spectrum(frames * _HANN)
    low, high = (int(hertz * _FFT / RATE) for hertz in _TONE_HZ)
    around = low + np.argmax(power[:, low:high], axis=1)[:, None] + np.arange(-2, 3)
    near = np.take_along_axis(power, around, axis=1)
    energy = near.sum(axis=1)
    centre = (near * around).sum(axis=1) / (energy + 1e-9)
    return centre * RATE / _FFT, energy / (power.sum(axis=1) + 1e-9)


def _steady(hertz: FloatArray, share: FloatArray) -> Iterator[_Tone]:
    """Yield stretches in which one frequency holds still."""
    step = _FFT_HOP / RATE
    for first, last in runs(share >= _TONE_SHARE):
        begin = first
        for i in range(first + 1, last + 1):
            if i == last or abs(hertz[i] / hertz[i - 1] - 1) > _TONE_DRIFT:
                yield _Tone(
                    begin * step,
                    (i - 1) * step + _FFT / RATE,
                    float(np.median(hertz[begin:i])),
                    float(share[begin:i].mean()),
                )
                begin = i


def _evenness(starts: Sequence[float]) -> float:
    """Return how well beeps keep time: all of them, or nearly all where they come in groups."""
    gaps = np.diff(starts)
    if not len(gaps) or gaps.mean() <= 0:
        return 0.0
    spread = float(gaps.std() / gaps.mean())
    alike = float((np.abs(gaps / np.median(gaps) - 1) <= _ALIKE).mean()) if len(gaps) >= _GROUPED else 0.0
    return max(0.0, 1.0 - spread, alike if alike >= _MOSTLY else 0.0)
