"""Channels that cancel each other are mixed to something, and other sound is left alone."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from av.audio.frame import AudioFrame
from numpy.typing import NDArray

from vidence.media.audio import in_phase

RATE = 48_000
TONE = np.sin(2 * np.pi * 440 * np.arange(RATE) / RATE)
NOISE = np.random.default_rng(0).normal(0, 0.2, RATE)


def frame(left: NDArray[np.float64], right: NDArray[np.float64], format: str) -> AudioFrame:
    both = np.stack([left, right])
    samples = both if format.endswith("p") else both.T.reshape(1, -1)
    whole = (samples * 32767).astype(np.int16) if format.startswith("s16") else samples.astype(np.float32)
    cut = cast("NDArray[np.float32]", np.ascontiguousarray(whole))
    made = AudioFrame.from_ndarray(cut, format=format, layout="stereo")
    made.sample_rate, made.pts = RATE, 77
    return made


def mono(made: AudioFrame) -> float:
    samples = made.to_ndarray().astype(np.float64)
    pair = samples if made.format.is_planar else samples.reshape(-1, 2).T
    return float(np.abs(pair.mean(axis=0)).max())


@pytest.mark.parametrize("format", ["flt", "fltp", "s16", "s16p"])
def test_opposite_channels_no_longer_cancel(format: str) -> None:
    made = frame(TONE, -TONE, format)
    assert mono(made) <= 1
    turned = in_phase(made)
    assert mono(turned) > (0.9 if format.startswith("flt") else 30_000)
    assert (turned.sample_rate, turned.pts, turned.layout.name) == (RATE, 77, "stereo")


@pytest.mark.parametrize("right", [TONE, 0 * TONE, NOISE, 0.5 * TONE - NOISE, -0.3 * TONE + NOISE])
def test_other_stereo_is_left_alone(right: NDArray[np.float64]) -> None:
    made = frame(TONE, right, "fltp")
    assert in_phase(made) is made


def test_one_channel_is_left_alone() -> None:
    made = AudioFrame.from_ndarray(TONE[None].astype(np.float32), format="fltp", layout="mono")
    assert in_phase(made) is made
