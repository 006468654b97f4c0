"""Power and log-mel spectra of sound: our own front end, whose constants training reads, and Kaldi's."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vidence.schema.perception import FloatArray

__all__ = [
    "HOP",
    "KALDI_MELS",
    "KALDI_SHIFT",
    "N_FFT",
    "N_MELS",
    "SAMPLE_RATE",
    "WINDOW",
    "filterbank",
    "kaldi_frames",
    "kaldi_log_mel",
    "log_mel",
    "power_spectrum",
    "window",
]

SAMPLE_RATE = 16_000
HOP = 256
WINDOW = 640
N_FFT = 1024
N_MELS = 128
LOWEST_HZ, HIGHEST_HZ = 40.0, 8000.0
FLOOR = 1e-9
"""-90 dB: below the noise of 16-bit sound, so digital silence and dither look alike."""
CENTRE_DB, SCALE_DB = -60.0, 25.0

KALDI_SIZE = 400
"""25 ms at 16 kHz."""
KALDI_SHIFT = 160
"""10 ms at 16 kHz."""
KALDI_MELS = 80
_KALDI_FFT = 512
_KALDI_LOW_HZ = 20.0
_PREEMPHASIS = np.float32(0.97)
_INT16 = 32768.0
_AT_ONCE = 128
"""Frames whose spectra fit into a core's cache together."""


def power_spectrum(frames: FloatArray, size: int | None = None) -> NDArray[np.floating]:
    """Return the power of each frequency in each row of windowed samples, padded with zeros to `size`."""
    spectrum = np.fft.rfft(frames, n=size, axis=1)
    return np.asarray(np.square(spectrum.real) + np.square(spectrum.imag))


def log_mel(samples: FloatArray) -> FloatArray:
    """Return scaled log-mel frames (time, mels), one for each window that fits into `samples`."""
    frames = np.lib.stride_tricks.sliding_window_view(samples, WINDOW)[::HOP]
    power = _energies(frames, lambda part: power_spectrum(part * _WINDOW, N_FFT), _FILTERS)
    decibels = 10 * np.log10(power + np.float32(FLOOR))
    scaled: FloatArray = (decibels - np.float32(CENTRE_DB)) / np.float32(SCALE_DB)
    return scaled


def window() -> FloatArray:
    """Return the periodic Hann window, scaled so that a sine's peak power does not depend on its length."""
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
    scaled: FloatArray = (hann / hann.sum()).astype(np.float32)
    return scaled


def filterbank() -> FloatArray:
    """Return triangular filters, evenly spaced in mel, as (bins, mels)."""
    low, high = (2595 * np.log10(1 + hertz / 700) for hertz in (LOWEST_HZ, HIGHEST_HZ))
    edges = 700 * (10 ** (np.linspace(low, high, N_MELS + 2) / 2595) - 1)
    return _triangles(np.arange(N_FFT // 2 + 1) * SAMPLE_RATE / N_FFT, edges)


def kaldi_frames(samples: int) -> int:
    """Return how many whole frames of Kaldi's fit into so many samples."""
    return max(0, (samples - KALDI_SIZE) // KALDI_SHIFT + 1)


def kaldi_log_mel(samples: FloatArray) -> FloatArray:
    """Return (frames, 80) log energies as Kaldi computes them, to the decimal; no frame is padded."""
    if not kaldi_frames(len(samples)):
        return np.empty((0, KALDI_MELS), dtype=np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(samples, KALDI_SIZE)[::KALDI_SHIFT]
    energies = _energies(frames, _kaldi_power, _kaldi_filters())
    logged: FloatArray = np.log(np.maximum(energies, np.finfo(np.float32).eps))
    return logged


def _energies(
    frames: FloatArray, power: Callable[[FloatArray], NDArray[np.floating]], filters: FloatArray
) -> FloatArray:
    """Return the (frames, mels) energies, a few frames at a time."""
    energies: FloatArray = np.empty((len(frames), filters.shape[1]), np.float32)
    for first in range(0, len(frames), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        np.matmul(power(frames[part]), filters, out=energies[part])
    return energies


def _triangles(bins: NDArray[np.float64], edges: NDArray[np.float64]) -> FloatArray:
    left, centre, right = edges[:-2], edges[1:-1], edges[2:]
    rising = (bins[:, None] - left) / (centre - left)
    falling = (right - bins[:, None]) / (right - centre)
    return np.asarray(np.maximum(0.0, np.minimum(rising, falling)), np.float32)


def _kaldi_power(frames: FloatArray) -> NDArray[np.floating]:
    """Return the (frames, 256) power spectrum of frames without their mean, high frequencies raised."""
    level = frames - frames.mean(axis=1, keepdims=True)
    padded = np.zeros((len(frames), _KALDI_FFT), dtype=np.float32)
    windowed = padded[:, :KALDI_SIZE]
    np.multiply(level[:, :-1], -_PREEMPHASIS, out=windowed[:, 1:])
    np.multiply(level[:, 0], -_PREEMPHASIS, out=windowed[:, 0])
    windowed += level
    windowed *= _povey()
    return np.ascontiguousarray(power_spectrum(padded)[:, : _KALDI_FFT // 2])


@lru_cache(maxsize=1)
def _povey() -> FloatArray:
    """Return Kaldi's window, which also brings samples to the scale of 16-bit integers."""
    return np.asarray(np.hanning(KALDI_SIZE) ** 0.85 * _INT16, dtype=np.float32)


@lru_cache(maxsize=1)
def _kaldi_filters() -> FloatArray:
    """Return the (256, 80) triangles, which Kaldi draws over mel instead of over Hz."""
    hertz = np.arange(_KALDI_FFT // 2, dtype=np.float64) * (SAMPLE_RATE / _KALDI_FFT)
    low, high = _kaldi_mel(np.array([_KALDI_LOW_HZ, HIGHEST_HZ]))
    return _triangles(_kaldi_mel(hertz), np.linspace(low, high, KALDI_MELS + 2))


def _kaldi_mel(hertz: NDArray[np.float64]) -> NDArray[np.float64]:
    mel: NDArray[np.float64] = 1127.0 * np.log1p(hertz / 700.0)
    return mel


_WINDOW = window()
_FILTERS = filterbank()
