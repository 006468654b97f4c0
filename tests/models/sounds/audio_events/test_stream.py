"""Cutting the sound into stretches changes neither the frames nor the memory."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vidence.models.sounds import mel
from vidence.models.sounds.audio_events.labels import CLASSES
from vidence.models.sounds.audio_events.network import (
    STRIDE_SAMPLES,
    AudioEventNetwork,
    ProbabilityStream,
    probabilities,
)


def _frames(samples: NDArray[np.float32], sizes: list[int]) -> NDArray[np.float32]:
    stream = ProbabilityStream(AudioEventNetwork())
    parts: list[NDArray[np.float32]] = []
    start = 0
    for size in sizes:
        parts += stream.push(samples[start : start + size])
        start += size
    parts += stream.push(samples[start:])
    parts += stream.finish()
    return np.concatenate(parts) if parts else np.zeros((0, len(CLASSES)), np.float32)


def _sound(seconds: float) -> NDArray[np.float32]:
    rng = np.random.default_rng(3)
    return (rng.normal(size=int(seconds * mel.SAMPLE_RATE)) * 0.05).astype(np.float32)


@pytest.mark.parametrize("length", [1, 2047, 2048, 2049, 40_000, 400_001])
def test_every_started_frame_is_answered(length: int) -> None:
    samples = np.zeros(length, np.float32)
    assert len(_frames(samples, [])) == -(-length // STRIDE_SAMPLES)


def test_no_samples_give_no_frames() -> None:
    assert len(_frames(np.zeros(0, np.float32), [])) == 0


def test_chunk_sizes_do_not_matter() -> None:
    samples = _sound(45.0)
    whole = _frames(samples, [])
    odd = _frames(samples, [1, 5, 333, 16_000, 100_001, 7])
    np.testing.assert_allclose(whole, odd, atol=1e-5)


def test_stretches_agree_with_one_pass() -> None:
    samples = _sound(40.0)
    count = -(-samples.size // STRIDE_SAMPLES)
    padded = np.pad(samples, (mel.WINDOW // 2, mel.WINDOW + count * STRIDE_SAMPLES - samples.size))
    whole = probabilities(AudioEventNetwork().run(mel.log_mel(padded)))[:count]
    apart = np.abs(_frames(samples, []) - whole)
    # The network sees a little further than the context that is kept, so a trace may remain at the seams.
    assert float(apart.max()) < 0.05
    assert float(apart.mean()) < 0.001


def test_little_is_held_of_a_long_recording() -> None:
    stream = ProbabilityStream(AudioEventNetwork())
    minute = np.zeros(60 * mel.SAMPLE_RATE, np.float32)
    for _ in range(3):
        for _ in stream.push(minute):
            pass
        assert stream.held_samples < 45 * mel.SAMPLE_RATE
