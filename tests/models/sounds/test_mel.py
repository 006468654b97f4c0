"""The front end puts tones where they belong and bears any level."""

from __future__ import annotations

import numpy as np
import pytest

from vidence.models.sounds import mel
from vidence.schema.perception import FloatArray


def _tone(hertz: float, level: float = 0.5) -> FloatArray:
    return (level * np.sin(2 * np.pi * hertz * np.arange(8000) / mel.SAMPLE_RATE)).astype(np.float32)


@pytest.mark.parametrize("hertz", [100.0, 440.0, 1000.0, 3000.0, 7000.0])
def test_a_tone_peaks_in_its_band(hertz: float) -> None:
    band = int(mel.log_mel(_tone(hertz)).mean(axis=0).argmax())
    bins = np.arange(mel.N_FFT // 2 + 1) * mel.SAMPLE_RATE / mel.N_FFT
    weights = mel.filterbank()[:, band]
    assert bins[weights > 0].min() - 16 <= hertz <= bins[weights > 0].max() + 16


def test_silence_is_the_floor() -> None:
    assert np.allclose(mel.log_mel(np.zeros(2000, np.float32)), -1.2, atol=1e-5)


def test_ten_decibels_move_the_scale_by_two_fifths() -> None:
    loud, soft = mel.log_mel(_tone(1000.0, 0.5)), mel.log_mel(_tone(1000.0, 0.5 / np.sqrt(10)))
    assert np.isclose(loud.max() - soft.max(), 0.4, atol=1e-3)


def test_frames_follow_the_hop() -> None:
    assert mel.log_mel(np.zeros(mel.WINDOW + 9 * mel.HOP, np.float32)).shape == (10, mel.N_MELS)
