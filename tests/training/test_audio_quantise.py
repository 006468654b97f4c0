"""A network made to compute in bytes says nearly what it said before."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from training.audio_events.quantise import quantise_network

Floats = NDArray[np.float32]


def network() -> onnx.ModelProto:
    """Return three convolutions, the last two around a shortcut, with weights stored as the exporter does."""
    rng = np.random.default_rng(1)
    stored, nodes = [], []
    for name, inputs in (("a", 1), ("b", 8), ("c", 8)):
        weights = rng.integers(-127, 128, (8, inputs, 3, 3)).astype(np.int8)
        scales = rng.uniform(0.002, 0.004, 8).astype(np.float32)
        bias = rng.normal(0, 0.3, 8).astype(np.float32)
        for suffix, values in ((".int8", weights), (".scale", scales), (".bias", bias)):
            stored.append(numpy_helper.from_array(values, name + suffix))
        nodes.append(helper.make_node("DequantizeLinear", [name + ".int8", name + ".scale"], [name], axis=0))
    for name, source, result in (("a", "mel", "x"), ("b", "stem", "y"), ("c", "middle", "z")):
        inputs_ = [source, name, name + ".bias"]
        nodes.append(helper.make_node("Conv", inputs_, [result], kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
        if result != "z":
            nodes.append(helper.make_node("Relu", [result], [{"x": "stem", "y": "middle"}[result]]))
    nodes.append(helper.make_node("Add", ["z", "stem"], ["out"]))
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("mel", TensorProto.FLOAT, [1, 1, "time", 16])],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, [1, 8, "time", 16])],
        stored,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def run(model: onnx.ModelProto, mel: Floats) -> Floats:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"mel": mel[None, None]})[0])


def test_bytes_cost_little() -> None:
    rng = np.random.default_rng(2)
    mels = [rng.normal(0, 1, (40, 16)).astype(np.float32) for _ in range(4)]
    plain, small = network(), network()
    quantise_network(small, mels[:3])
    onnx.checker.check_model(small, full_check=True)
    expected = run(plain, mels[3])
    assert expected.std() > 0.5
    assert float(np.abs(run(small, mels[3]) - expected).mean()) < 0.02 * float(expected.std())


def test_what_is_multiplied_uses_seven_bits_and_the_first_layer_stays() -> None:
    mels = [np.random.default_rng(3).normal(0, 1, (40, 16)).astype(np.float32)]
    model = network()
    quantise_network(model, mels)
    rounded = {node.input[0]: node for node in model.graph.node if node.op_type == "QuantizeLinear"}
    assert set(rounded) == {"stem", "middle", "z"}
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    assert values["stem.zero"] == values["middle.zero"] == 0
    assert values["z.zero"] > 0
    watched = network()
    watched.graph.output[0].CopyFrom(helper.make_empty_tensor_value_info("stem"))
    assert 127 * values["stem.step"] == pytest.approx(run(watched, mels[0]).max(), rel=1e-4)
    first = next(node for node in model.graph.node if node.op_type == "Conv")
    assert list(first.input) == ["mel", "a", "a.bias"]
