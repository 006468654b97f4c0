"""Tell speakers apart by pitch alone: voices whose pitches lie clearly apart, and no others."""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from vidence.models.speech.windows import RATE
from vidence.schema.perception import FloatArray
from vidence.schema.speech import Utterance

__all__ = ["name_speakers", "voice_pitch"]

_FRAME, _HOP = 640, 320
_LOW_HZ, _HIGH_HZ = 70.0, 400.0
_PERIODIC = 0.6
_ALMOST = 0.85
_MIN_VOICED = 20
_APART = 5.0
"""Semitones that must lie empty between two voices; one person's sentences vary less than this."""
_TOGETHER = 6.0
"""Semitones one voice may span before it must be taken for several."""

_MIN_UTTERANCES = 2
_OCTAVE_SLACK = 1.5


def voice_pitch(samples: FloatArray) -> float | None:
    """Return the median pitch of a voice in Hz, or None when too little of it is voiced."""
    if len(samples) < _FRAME:
        return None
    frames = np.lib.stride_tricks.sliding_window_view(samples, _FRAME)[::_HOP]
    frames = (frames - frames.mean(axis=1, keepdims=True)) * np.hanning(_FRAME)
    spectrum = np.abs(np.fft.rfft(frames, 2 * _FRAME, axis=1)) ** 2
    likeness = np.fft.irfft(spectrum, axis=1)[:, :_FRAME]
    # The window's own autocorrelation would pull every peak towards short periods.
    likeness = likeness / (likeness[:, :1] + 1e-9) / _window_likeness()
    first, last = int(RATE / _HIGH_HZ), int(RATE / _LOW_HZ)
    period = first + _first_peak(likeness[:, first - 1 : last + 1])
    energy = np.square(frames).mean(axis=1)
    voiced = (likeness[np.arange(len(frames)), period] > _PERIODIC) & (energy > 0.05 * energy.max() + 1e-9)
    return float(np.median(RATE / period[voiced])) if voiced.sum() >= _MIN_VOICED else None


def _first_peak(likeness: NDArray[np.floating]) -> NDArray[np.int64]:
    """Return the shortest period that fits almost as well as the best: twice a period fits too."""
    middle = likeness[:, 1:-1]
    peak = (middle >= likeness[:, :-2]) & (middle >= likeness[:, 2:])
    best = np.where(peak, middle, -1.0).max(axis=1, keepdims=True)
    found: NDArray[np.int64] = np.argmax(peak & (middle >= _ALMOST * best), axis=1)
    return found


def name_speakers(utterances: Sequence[Utterance]) -> list[Utterance]:
    """Return the utterances with `speaker_1`, `speaker_2`, … in order of appearance.

    A lone voice is `speaker_1`. Everybody stays None when the pitches form groups too wide to be one person
    each, or groups that one person's mismeasured pitch explains.
    """
    pitches = sorted(_semitones(one.pitch_hz) for one in utterances if one.pitch_hz)
    cuts = [(low + high) / 2 for low, high in pairwise(pitches) if high - low >= _APART]
    groups = [[p for p in pitches if low <= p < high] for low, high in pairwise([-math.inf, *cuts, math.inf])]
    if not pitches or not _believable(groups):
        return list(utterances)
    names: dict[int, str] = {}
    named = []
    for one in utterances:
        speaker = None
        if one.pitch_hz and one.speaker is None:
            voice = bisect(cuts, _semitones(one.pitch_hz))
            speaker = names.setdefault(voice, f"speaker_{len(names) + 1}")
        named.append(one.model_copy(update={"speaker": speaker}) if speaker else one)
    return named


def _semitones(pitch_hz: float) -> float:
    return 12 * math.log2(pitch_hz)


def _believable(groups: Sequence[Sequence[float]]) -> bool:
    """Say whether groups of pitches look like one person each: narrow, heard twice, not an octave apart."""
    if any(group[-1] - group[0] > _TOGETHER for group in groups):
        return False
    if len(groups) > 1 and min(len(group) for group in groups) < _MIN_UTTERANCES:
        return False
    middles = [float(np.median(group)) for group in groups]
    # Measuring pitch goes wrong by whole octaves, so one voice can look like two that far apart.
    return all(abs(high - low - 12) > _OCTAVE_SLACK for low, high in combinations(middles, 2))


def _window_likeness() -> FloatArray:
    spectrum = np.abs(np.fft.rfft(np.hanning(_FRAME), 2 * _FRAME)) ** 2
    own = np.fft.irfft(spectrum)[:_FRAME]
    return np.asarray(np.maximum(own / own[0], 0.05), dtype=np.float32)
