"""The log-mel front end, in NumPy; training reads its constants and filters from here."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["HOP", "N_FFT", "N_MELS", "SAMPLE_RATE", "WINDOW", "filterbank", "log_mel", "window"]

SAMPLE_RATE = 16_000
HOP = 256
WINDOW = 640
N_FFT = 1024
N_MELS = 128
LOWEST_HZ, HIGHEST_HZ = 40.0, 8000.0
FLOOR = 1e-9
"""-90 dB: below the noise of 16-bit sound, so digital silence and dither look alike."""
CENTRE_DB, SCALE_DB = -60.0, 25.0
_AT_ONCE = 128
"""Frames whose spectra fit into a core's cache together."""

FloatArray = NDArray[np.float32]


def window() -> FloatArray:
    """Return the periodic Hann window, scaled so that a sine's peak power does not depend on its length."""
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
    scaled: FloatArray = (hann / hann.sum()).astype(np.float32)
    return scaled


def filterbank() -> FloatArray:
    """Return triangular filters, evenly spaced in mel, as (bins, mels)."""
    edges = _hz(np.linspace(_mel(LOWEST_HZ), _mel(HIGHEST_HZ), N_MELS + 2))
    bins = np.arange(N_FFT // 2 + 1) * SAMPLE_RATE / N_FFT
    rising = (bins[:, None] - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - bins[:, None]) / (edges[2:] - edges[1:-1])
    filters: FloatArray = np.maximum(0.0, np.minimum(rising, falling)).astype(np.float32)
    return filters


def log_mel(samples: FloatArray) -> FloatArray:
    """Return scaled log-mel frames (time, mels), one for each window that fits into `samples`."""
    frames = np.lib.stride_tricks.sliding_window_view(samples, WINDOW)[::HOP]
    power: FloatArray = np.empty((len(frames), N_MELS), np.float32)
    for first in range(0, len(frames), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        spectrum = np.fft.rfft(frames[part] * _WINDOW, n=N_FFT, axis=1)
        np.matmul(np.square(spectrum.real) + np.square(spectrum.imag), _FILTERS, out=power[part])
    decibels = 10 * np.log10(power + np.float32(FLOOR))
    scaled: FloatArray = (decibels - np.float32(CENTRE_DB)) / np.float32(SCALE_DB)
    return scaled


def _mel(hz: float) -> float:
    return float(2595 * np.log10(1 + hz / 700))


def _hz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(700 * (10 ** (mel / 2595) - 1))


_WINDOW = window()
_FILTERS = filterbank()
