"""Log mel filterbanks as Kaldi computes them, which speech models expect to the decimal."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vidence.schema.perception import FloatArray

__all__ = ["FRAME_SHIFT", "FRAME_SIZE", "NUM_MELS", "log_mel", "num_frames"]

FRAME_SIZE = 400
"""25 ms at 16 kHz."""
FRAME_SHIFT = 160
"""10 ms at 16 kHz."""
NUM_MELS = 80
_FFT = 512
_LOW_HZ, _HIGH_HZ, _RATE = 20.0, 8000.0, 16000
_PREEMPHASIS = np.float32(0.97)
_INT16 = 32768.0
_AT_ONCE = 256
"""Frames whose spectra fit into a core's cache together."""


def num_frames(samples: int) -> int:
    """Return how many whole frames fit into so many samples."""
    return max(0, (samples - FRAME_SIZE) // FRAME_SHIFT + 1)


def log_mel(samples: FloatArray) -> FloatArray:
    """Return (frames, 80) log energies of 16 kHz mono samples in [-1, 1]; no frame is padded."""
    energies = np.empty((num_frames(len(samples)), NUM_MELS), dtype=np.float32)
    if len(energies):
        frames = np.lib.stride_tricks.sliding_window_view(samples, FRAME_SIZE)[::FRAME_SHIFT]
        for first in range(0, len(frames), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            np.matmul(_power(frames[part]), _mel_weights(), out=energies[part])
    logged: FloatArray = np.log(np.maximum(energies, np.finfo(np.float32).eps))
    return logged


def _power(frames: FloatArray) -> FloatArray:
    """Return the (frames, 256) power spectrum."""
    level = frames - frames.mean(axis=1, keepdims=True)
    padded = np.zeros((len(frames), _FFT), dtype=np.float32)
    windowed = padded[:, :FRAME_SIZE]
    np.multiply(level[:, :-1], -_PREEMPHASIS, out=windowed[:, 1:])
    np.multiply(level[:, 0], -_PREEMPHASIS, out=windowed[:, 0])
    windowed += level
    windowed *= _povey()
    spectrum = np.fft.rfft(padded, axis=1)[:, : _FFT // 2]
    power: FloatArray = np.square(spectrum.real) + np.square(spectrum.imag)
    return power


@lru_cache(maxsize=1)
def _povey() -> FloatArray:
    """Return the window, which also brings samples to the scale of 16-bit integers."""
    return np.asarray(np.hanning(FRAME_SIZE) ** 0.85 * _INT16, dtype=np.float32)


@lru_cache(maxsize=1)
def _mel_weights() -> FloatArray:
    """Return the (256, 80) triangles, evenly spaced in mel between 20 Hz and 8 kHz."""
    low, high = _mel(np.array([_LOW_HZ, _HIGH_HZ]))
    edges = np.linspace(low, high, NUM_MELS + 2)
    bins = _mel(np.arange(_FFT // 2, dtype=np.float64) * (_RATE / _FFT))[:, None]
    left, centre, right = edges[:-2], edges[1:-1], edges[2:]
    rising = (bins - left) / (centre - left)
    falling = (right - bins) / (right - centre)
    return np.asarray(np.maximum(0.0, np.minimum(rising, falling)), dtype=np.float32)


def _mel(hertz: NDArray[np.float64]) -> NDArray[np.float64]:
    mel: NDArray[np.float64] = 1127.0 * np.log1p(hertz / 700.0)
    return mel
