"""Find sounds by signal analysis alone: silence, impacts, beeps, alarms, steady noise, clipping."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

import numpy as np

from vidence.models.sounds.steady import HUM, NOISE, steady_sounds
from vidence.models.sounds.stream import runs
from vidence.models.sounds.tones import SHORTEST, tones
from vidence.models.speech.windows import RATE
from vidence.schema.observations import SoundEvent
from vidence.schema.perception import FloatArray

__all__ = ["SignalAnalyser"]

_HOP = 160
_HOP_S = _HOP / RATE
_FLOOR_DB = -100.0

_SILENT_DB, _QUIET_DB = -75.0, -55.0
_SILENCE_S = 1.0

_IMPACT_RISE_DB, _IMPACT_LEVEL_DB = 20.0, -22.0
_BEFORE, _RISE, _AFTER = 25, 3, 30
_IMPACT_FALL_DB = 9.0
_DEEPEST_DB = -70.0

_CLIP_LEVEL, _CLIP_SHARE = 0.985, 0.005


class SignalAnalyser:
    """Measures level, onset, tone and overload; the confidence of an event says how clear it is."""

    labels: Sequence[str] = ("silence", "impact", "beep", "alarm", "clipping", NOISE, HUM)

    def analyse(self, samples: FloatArray) -> list[SoundEvent]:
        """Return events in seconds from the first sample."""
        if len(samples) < SHORTEST:
            return []
        # Some recorders add a constant that nobody hears, and stop adding it where a recording is cut.
        centred = samples - _constant(samples)
        level = _levels(centred)
        quiet = np.minimum(level, _levels(samples))
        steady = steady_sounds(centred)
        return [*_silence(quiet), *_impacts(level), *tones(centred, level), *steady, *_clipping(samples)]


def _constant(samples: FloatArray) -> np.float32:
    """Return what most tenths of a second have as their mean; those of true silence have none."""
    tenth = RATE // 10
    whole = len(samples) // tenth * tenth
    parts = samples[:whole].reshape(-1, tenth) if whole else samples[None]
    return np.float32(np.median(parts.mean(axis=1)))


def _levels(samples: FloatArray) -> FloatArray:
    """Return the level of every 10 ms in dB below full scale."""
    whole = len(samples) // _HOP
    power = np.square(samples[: whole * _HOP].reshape(whole, _HOP)).mean(axis=1)
    level: FloatArray = np.maximum(10 * np.log10(np.maximum(power, 1e-12)), _FLOOR_DB).astype(np.float32)
    return level


def _silence(level: FloatArray) -> Iterator[SoundEvent]:
    for first, last in runs(level < _QUIET_DB):
        if (last - first) * _HOP_S >= _SILENCE_S:
            clear = (_QUIET_DB - float(level[first:last].mean())) / (_QUIET_DB - _SILENT_DB)
            sure = 0.5 + 0.5 * min(max(clear, 0.0), 1.0)
            yield SoundEvent.of("silence", first * _HOP_S, last * _HOP_S, sure)


def _impacts(level: FloatArray) -> Iterator[SoundEvent]:
    """Yield sudden loud sounds that die away at once: a knock, a bang, a clap, something dropped."""
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
            yield SoundEvent.of("impact", at * _HOP_S, max(end, at + 5) * _HOP_S, sure)
            free = peak_at + _BEFORE


def _rises(level: FloatArray) -> Iterator[tuple[int, float]]:
    """Yield where the level rises at once, and by how much above its usual value just before."""
    if len(level) <= _BEFORE + _RISE:
        return
    peaks = np.lib.stride_tricks.sliding_window_view(level, _RISE)[_BEFORE:-1].max(axis=1)
    before = np.lib.stride_tricks.sliding_window_view(level, _BEFORE)[: len(peaks)]
    # A median is slow, and not needed where even the lowest value is near the peak.
    steep = peaks - np.maximum(before.min(axis=1), _DEEPEST_DB) > _IMPACT_RISE_DB - 0.01
    places = np.flatnonzero((peaks >= _IMPACT_LEVEL_DB) & steep)
    usual = np.partition(before[places], _BEFORE // 2, axis=1)[:, _BEFORE // 2]
    rises = peaks[places].astype(np.float64) - np.maximum(usual, _DEEPEST_DB)
    for at, rise in zip(places.tolist(), rises.tolist(), strict=True):
        if rise >= _IMPACT_RISE_DB:
            yield at + _BEFORE, rise


def _clipping(samples: FloatArray) -> Iterator[SoundEvent]:
    """Yield the seconds with runs of samples stuck at full scale."""
    for first in range(0, len(samples), RATE):
        part = np.abs(samples[first : first + RATE])
        flat = (part[:-2] >= _CLIP_LEVEL) & (part[1:-1] >= _CLIP_LEVEL) & (part[2:] >= _CLIP_LEVEL)
        share = float(flat.mean()) if len(flat) else 0.0
        if share >= _CLIP_SHARE:
            end = min(first + RATE, len(samples)) / RATE
            yield SoundEvent.of("clipping", first / RATE, end, min(0.99, 0.6 + share * 10))
