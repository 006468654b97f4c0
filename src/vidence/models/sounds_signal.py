"""Sounds that plain signal analysis can tell: silence, impacts, beeps, alarms, steady noise, clipping."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

import numpy as np
from numpy.typing import NDArray

from vidence.models.sounds_steady import HUM, NOISE, TONE, steady_sounds
from vidence.models.speech_windows import RATE
from vidence.schema.perception import FloatArray, SoundEvent

__all__ = ["SignalAnalyser"]

_HOP = 160
_HOP_S = _HOP / RATE
_FLOOR_DB = -100.0
_CONSTANT_STEP = 16

_SILENT_DB, _QUIET_DB = -75.0, -55.0
_SILENCE_S = 1.0

_IMPACT_RISE_DB, _IMPACT_LEVEL_DB = 20.0, -22.0
_BEFORE, _RISE, _AFTER = 25, 3, 30
_IMPACT_FALL_DB = 9.0
_DEEPEST_DB = -70.0

_FFT, _FFT_HOP = 1024, 320
_HANN = np.hanning(_FFT).astype(np.float32)
_AT_ONCE = 128
"""Frames whose spectra fit into a core's cache together."""
_TONE_HZ = (350.0, 6000.0)
_TONE_SHARE, _TONE_LEVEL_DB = 0.92, -45.0
_TONE_DRIFT = 0.006
_BEEP_S, _TONE_S = 0.1, 2.0
_BEEPS, _BEEP_GAP_S = 3, 1.6
_EVEN = 0.6
"""Alarms keep time; birds and voices do not."""

_CLIP_LEVEL, _CLIP_SHARE = 0.985, 0.005


class SignalAnalyser:
    """Looks at level, onset, tone and overload; each event's confidence says how clear the case is."""

    labels: Sequence[str] = ("silence", "impact", "beep", "alarm", "clipping", NOISE, HUM)

    def analyse(self, samples: FloatArray) -> list[SoundEvent]:
        """Return events in seconds from the first sample."""
        if len(samples) < _FFT:
            return []
        # Some recorders add a constant, which nobody hears; the median is 0 where a part is true silence.
        samples = samples - np.median(samples[::_CONSTANT_STEP])
        level = _levels(samples)
        steady = steady_sounds(samples)
        return [*_silence(level), *_impacts(level), *_tones(samples), *steady, *_clipping(samples)]


def _levels(samples: FloatArray) -> FloatArray:
    """Return the level of every 10 ms in dB below full scale."""
    whole = len(samples) // _HOP
    power = np.square(samples[: whole * _HOP].reshape(whole, _HOP)).mean(axis=1)
    level: FloatArray = np.maximum(10 * np.log10(np.maximum(power, 1e-12)), _FLOOR_DB).astype(np.float32)
    return level


def _silence(level: FloatArray) -> Iterator[SoundEvent]:
    for first, last in _runs(level < _QUIET_DB):
        if (last - first) * _HOP_S >= _SILENCE_S:
            clear = (_QUIET_DB - float(level[first:last].mean())) / (_QUIET_DB - _SILENT_DB)
            yield SoundEvent("silence", first * _HOP_S, last * _HOP_S, 0.5 + 0.5 * min(max(clear, 0.0), 1.0))


def _impacts(level: FloatArray) -> Iterator[SoundEvent]:
    """A sudden loud sound that dies away at once: a knock, a bang, a clap, something dropped."""
    free = 0
    for at, rise in _rises(level):
        peak_at = at + int(np.argmax(level[at : at + _RISE]))
        peak = float(level[peak_at])
        tail = level[peak_at + 5 : peak_at + _AFTER]
        if at < free or not len(tail):
            continue
        # For two dozen numbers NumPy's median takes ten times as long.
        fall = peak - median(tail.tolist())
        if fall >= _IMPACT_FALL_DB:
            quiet = np.flatnonzero(level[peak_at : peak_at + _AFTER] < peak - _IMPACT_FALL_DB)
            end = peak_at + (int(quiet[0]) if len(quiet) else _AFTER)
            sure = min(0.9, 0.4 + (rise - _IMPACT_RISE_DB) / 40 + (fall - _IMPACT_FALL_DB) / 60)
            yield SoundEvent("impact", at * _HOP_S, max(end, at + 5) * _HOP_S, sure)
            free = peak_at + _BEFORE


def _rises(level: FloatArray) -> Iterator[tuple[int, float]]:
    """Yield where it gets loud at once, and by how much above what was usual just before."""
    if len(level) <= _BEFORE + _RISE:
        return
    peaks = np.lib.stride_tricks.sliding_window_view(level, _RISE)[_BEFORE:-1].max(axis=1)
    before = np.lib.stride_tricks.sliding_window_view(level, _BEFORE)[: len(peaks)]
    # A median takes long; where even the lowest is near the peak there is no need of one.
    steep = peaks - np.maximum(before.min(axis=1), _DEEPEST_DB) > _IMPACT_RISE_DB - 0.01
    places = np.flatnonzero((peaks >= _IMPACT_LEVEL_DB) & steep)
    usual = np.partition(before[places], _BEFORE // 2, axis=1)[:, _BEFORE // 2]
    rises = peaks[places].astype(np.float64) - np.maximum(usual, _DEEPEST_DB)
    for at, rise in zip(places.tolist(), rises.tolist(), strict=True):
        if rise >= _IMPACT_RISE_DB:
            yield at + _BEFORE, rise


def _tones(samples: FloatArray) -> Iterator[SoundEvent]:
    """Pure tones: one repeated evenly is an alarm, one held long or alone is a beep."""
    beeps = [one for one in _steady(*_spectrum(samples)) if one[1] - one[0] >= _BEEP_S]
    used: set[int] = set()
    for i, (start, _, hertz, purity) in enumerate(beeps):
        if i in used:
            continue
        series = [i]
        for j in range(i + 1, len(beeps)):
            near = beeps[j][0] - beeps[series[-1]][1] <= _BEEP_GAP_S
            if near and abs(beeps[j][2] / hertz - 1) <= 2 * _TONE_DRIFT:
                series.append(j)
        used.update(series)
        last_end = max(beeps[j][1] for j in series)
        even = _evenness([beeps[j][0] for j in series]) if len(series) >= _BEEPS else 0.0
        if even >= _EVEN:
            yield SoundEvent("alarm", start, last_end, min(0.95, purity * (0.5 + 0.45 * even)))
        else:
            for start, end, _, purity in (beeps[j] for j in series):
                held = TONE if end - start >= _TONE_S else ""
                yield SoundEvent("beep", start, end, min(0.8, 0.7 * purity), held)


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
    spectrum = np.fft.rfft(frames * _HANN, axis=1)
    power = np.square(spectrum.real) + np.square(spectrum.imag)
    low, high = (int(hertz * _FFT / RATE) for hertz in _TONE_HZ)
    around = low + np.argmax(power[:, low:high], axis=1)[:, None] + np.arange(-2, 3)
    near = np.take_along_axis(power, around, axis=1)
    energy = near.sum(axis=1)
    centre = (near * around).sum(axis=1) / (energy + 1e-9)
    return centre * RATE / _FFT, energy / (power.sum(axis=1) + 1e-9)


def _steady(hertz: FloatArray, share: FloatArray) -> Iterator[tuple[float, float, float, float]]:
    """Yield (start, end, Hz, purity) of stretches in which one frequency holds still."""
    step = _FFT_HOP / RATE
    for first, last in _runs(share >= _TONE_SHARE):
        begin = first
        for i in range(first + 1, last + 1):
            if i == last or abs(hertz[i] / hertz[i - 1] - 1) > _TONE_DRIFT:
                yield (
                    begin * step,
                    (i - 1) * step + _FFT / RATE,
                    float(np.median(hertz[begin:i])),
                    float(share[begin:i].mean()),
                )
                begin = i


def _evenness(starts: Sequence[float]) -> float:
    gaps = np.diff(starts)
    spread = float(gaps.std() / gaps.mean()) if len(gaps) and gaps.mean() > 0 else 1.0
    return max(0.0, 1.0 - spread)


def _clipping(samples: FloatArray) -> Iterator[SoundEvent]:
    """Whole runs of samples stuck at full scale, judged second by second."""
    for first in range(0, len(samples), RATE):
        part = np.abs(samples[first : first + RATE])
        flat = (part[:-2] >= _CLIP_LEVEL) & (part[1:-1] >= _CLIP_LEVEL) & (part[2:] >= _CLIP_LEVEL)
        share = float(flat.mean()) if len(flat) else 0.0
        if share >= _CLIP_SHARE:
            end = min(first + RATE, len(samples)) / RATE
            yield SoundEvent("clipping", first / RATE, end, min(0.99, 0.6 + share * 10))


def _runs(mask: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
