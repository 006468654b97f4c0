"""Quantise the activations of a network with 8-bit weights, over ranges measured on real sound."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray
from onnx import NodeProto, helper, numpy_helper

from vidence.models.convert.quantise import Quantisation

Mel = NDArray[np.float32]

_HIGHEST = 127
"""Without VNNI a processor adds two products in 16 bits, which more than 7 bits would overflow."""


def quantise_network(model: onnx.ModelProto, mels: Sequence[Mel]) -> None:
    """Quantise the values around every two-dimensional convolution but the first.

    Args:
        mels: log-mel frames (time, mels) of sounds like those the network will hear.
    """
    graph = model.graph
    convs = [node for node in graph.node if node.op_type == "Conv" and _dimensions(node) == 2][1:]
    names = dict.fromkeys(name for conv in convs for name in (conv.input[0], _result(model, conv)))
    steps = _measure(model, list(names), mels)
    for conv in convs:
        _store_bias(model, conv, steps[conv.input[0]].scale)
    for name in names:
        _round(graph, name, steps[name])
    _sort(graph)


def _dimensions(conv: NodeProto) -> int:
    return next(len(attribute.ints) for attribute in conv.attribute if attribute.name == "kernel_shape")


def _result(model: onnx.ModelProto, conv: NodeProto) -> str:
    """Return what a convolution gives, after the rectifier that follows it if nothing else does."""
    users = [node for node in model.graph.node if conv.output[0] in node.input]
    return str(users[0].output[0] if len(users) == 1 and users[0].op_type == "Relu" else conv.output[0])


def _measure(model: onnx.ModelProto, names: Sequence[str], mels: Sequence[Mel]) -> dict[str, Quantisation]:
    watched = onnx.ModelProto()
    watched.CopyFrom(model)
    watched.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in names)
    session = onnxruntime.InferenceSession(watched.SerializeToString(), providers=["CPUExecutionProvider"])
    low, high = np.zeros(len(names)), np.zeros(len(names))
    for mel in mels:
        values = session.run(list(names), {"mel": mel[None, None]})
        low = np.minimum(low, [value.min() for value in values])
        high = np.maximum(high, [value.max() for value in values])
    return {name: _steps(*span) for name, *span in zip(names, low, high, strict=True)}


def _steps(low: float, high: float) -> Quantisation:
    # Values below 0 are only added, never multiplied, so all 8 bits may be used.
    return Quantisation.over(low, high) if low < 0 else Quantisation(high / _HIGHEST, 0)


def _store_bias(model: onnx.ModelProto, conv: NodeProto, scale: float) -> None:
    """Store a bias at the scale of the products it is added to."""
    if len(conv.input) < 3:
        return
    stored = {tensor.name: tensor for tensor in model.graph.initializer}
    name, bias = conv.input[2], numpy_helper.to_array(stored[conv.input[2]])
    scales = numpy_helper.to_array(stored[conv.input[1] + ".scale"]) * np.float32(scale)
    model.graph.initializer.remove(stored[name])
    model.graph.initializer.extend(
        [
            numpy_helper.from_array(np.round(bias / scales).astype(np.int32), name + ".int32"),
            numpy_helper.from_array(scales.astype(np.float32), name + ".scale"),
        ]
    )
    inputs = [name + ".int32", name + ".scale"]
    model.graph.node.append(helper.make_node("DequantizeLinear", inputs, [name], axis=0))


def _round(graph: onnx.GraphProto, name: str, steps: Quantisation) -> None:
    """Make every reader of a tensor read its quantised form."""
    rounded = [name + suffix for suffix in (".step", ".zero", ".uint8", ".rounded")]
    for node in graph.node:
        for i, source in enumerate(node.input):
            if source == name:
                node.input[i] = rounded[3]
    graph.initializer.extend(
        [
            numpy_helper.from_array(np.array(steps.scale, np.float32), rounded[0]),
            numpy_helper.from_array(np.array(steps.zero, np.uint8), rounded[1]),
        ]
    )
    graph.node.append(helper.make_node("QuantizeLinear", [name, *rounded[:2]], [rounded[2]]))
    graph.node.append(helper.make_node("DequantizeLinear", [rounded[2], *rounded[:2]], [rounded[3]]))


def _sort(graph: onnx.GraphProto) -> None:
    """Put every node after those it reads from."""
    known = {value.name for value in (*graph.initializer, *graph.input)}
    waiting, ordered = list(graph.node), []
    while waiting:
        ready = [node for node in waiting if all(name in known for name in node.input if name)]
        assert ready, "the graph has a circle"
        known.update(name for node in ready for name in node.output)
        ordered += ready
        waiting = [node for node in waiting if node not in ready]
    del graph.node[:]
    graph.node.extend(ordered)
