"""The shipped network computes in bytes and says what it would say in floats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from vidence.models.sounds import mel
from vidence.models.sounds.audio_events.network import WEIGHTS, AudioEventNetwork, probabilities
from vidence.schema.perception import FloatArray


@pytest.fixture(scope="module")
def in_floats(tmp_path_factory: pytest.TempPathFactory) -> AudioEventNetwork:
    """Return the network with the rounding of its inner values taken out."""
    model = onnx.load(str(WEIGHTS))
    graph = model.graph
    exact = {node.output[0]: node.input[0] for node in graph.node if node.op_type == "QuantizeLinear"}
    assert len(exact) >= 14
    rounded = {
        node.output[0]: exact[node.input[0]]
        for node in graph.node
        if node.op_type == "DequantizeLinear" and node.input[0] in exact
    }
    kept = [node for node in graph.node if node.output[0] not in exact and node.output[0] not in rounded]
    for node in kept:
        node.input[:] = [rounded.get(name, name) for name in node.input]
    del graph.node[:]
    graph.node.extend(kept)
    path = tmp_path_factory.mktemp("floats") / "floats.onnx"
    onnx.save(model, str(path))
    return AudioEventNetwork(path)


def chirps(level: float) -> FloatArray:
    time = np.arange(10 * mel.SAMPLE_RATE) / mel.SAMPLE_RATE
    hiss = np.random.default_rng(4).normal(0, 0.02, time.size)
    tone = np.sin(2 * np.pi * (2000 + 800 * np.sin(9 * time)) * time) * (time % 1.5 < 0.4)
    return (level * (hiss + 0.5 * tone)).astype(np.float32)


@pytest.mark.parametrize("level", [0.01, 0.3, 1.5])
def test_the_quantised_network_agrees_with_floats(in_floats: AudioEventNetwork, level: float) -> None:
    frames = mel.log_mel(chirps(level))
    apart = np.abs(probabilities(AudioEventNetwork().run(frames)) - probabilities(in_floats.run(frames)))
    assert 0 < float(apart.mean()) < 0.002
    assert float(apart.max()) < 0.1


def test_weights_take_little_room() -> None:
    assert Path(WEIGHTS).stat().st_size < 3_000_000
