"""Rewrite the frozen TensorFlow SSD graph as ONNX, which runs several times faster on a CPU.

There are two forms: `convert` computes as the original does, `convert_quick` in bytes, in well under half of
the time and a little less surely. After a ReLU6 values lie in 0…6 by construction; the ranges of the other
tensors were measured on photographs and film (`python -m training.detector`) and ship as a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.models.coco import categories, table_rows
from vidence.models.onnx_write import GraphWriter
from vidence.models.ssd_layers import ByteLayers, Conv, FloatLayers
from vidence.models.tf_graph import Node, read_nodes

__all__ = ["NUM_HEADS", "Ranges", "convert", "convert_quick", "convert_watched", "measured_ranges"]

NUM_HEADS = 6
_CLASSES = 91
"""COCO's 90 ids and the background."""
_INPUT = "Preprocessor/sub"

Floats = NDArray[np.float32]
Ranges = Mapping[str, tuple[float, float]]
"""Smallest and largest value of each tensor that no ReLU6 bounds."""


def convert(source: Path, target: Path) -> None:
    """Write the network of `source`, without its pre- and post-processing, to `target`."""
    graph = GraphWriter("ssd_mobilenet_v2_coco")
    _Converter(read_nodes(source), graph, FloatLayers(graph)).run(target)


def convert_quick(source: Path, target: Path, *, ranges: Ranges | None = None) -> None:
    """Write the network in bytes; `ranges` are those measured, when not the ones that ship."""
    graph = GraphWriter("ssd_mobilenet_v2_coco_quick")
    layers = ByteLayers(graph, measured_ranges() if ranges is None else ranges)
    _Converter(read_nodes(source), graph, layers).run(target)


def convert_watched(source: Path, target: Path) -> list[str]:
    """Write the network in floats with the tensors `Ranges` is about as further outputs, and name these."""
    graph = GraphWriter("ssd_mobilenet_v2_coco_watched")
    layers = FloatLayers(graph, watch=True)
    _Converter(read_nodes(source), graph, layers).run(target)
    return layers.watched


def measured_ranges() -> dict[str, tuple[float, float]]:
    """Return the ranges that ship with the models."""
    return {row[0]: (float(row[1]), float(row[2])) for row in table_rows("ssd_ranges.tsv")}


class _Converter:
    """Walks the graph backwards from the prediction heads, folding constants on the way."""

    def __init__(self, nodes: dict[str, Node], graph: GraphWriter, layers: FloatLayers | ByteLayers) -> None:
        self._nodes, self._graph, self._layers = nodes, graph, layers
        self._done: dict[str, str | Floats | Conv] = {_INPUT: layers.image()}

    def run(self, target: Path) -> None:
        boxes = [self._head(i, "BoxEncodingPredictor", 4, range(4)) for i in range(NUM_HEADS)]
        # Each class has a score of its own, so those without a name need not be computed.
        named = sorted(categories())
        logits = [self._head(i, "ClassPredictor", _CLASSES, named) for i in range(NUM_HEADS)]
        self._graph.node("Concat", boxes, output="boxes", axis=1)
        self._graph.node("Sigmoid", [self._graph.node("Concat", logits, axis=1)], output="scores")
        self._graph.output("boxes", ["n", "anchors", 4])
        self._graph.output("scores", ["n", "anchors", len(named)])
        self._graph.save(target)

    def _head(self, index: int, predictor: str, width: int, kept: Sequence[int]) -> str:
        """Add one predictor with the channels `kept` of every `width`, as (n, anchors, channels)."""
        name = f"BoxPredictor_{index}/{predictor}/BiasAdd"
        conv = self._value(name)
        if not isinstance(conv, Conv):
            raise BackendError(f"The SSD graph has no convolution at {name!r}.")
        chosen = [start + one for start in range(0, len(conv.weights), width) for one in kept]
        conv = Conv(conv.source, conv.weights[chosen], conv.groups, conv.strides, conv.bias[chosen])
        maps = self._layers.head(conv, is_score=width == _CLASSES)
        last = self._graph.node("Transpose", [maps], perm=[0, 2, 3, 1])
        shape = self._graph.weight(np.array([0, -1, len(kept)], np.int64))
        return self._graph.node("Reshape", [last, shape])

    def _tensor(self, name: str) -> str:
        value = self._value(name)
        if isinstance(value, Conv):
            value = self._done[name] = self._layers.plain(value, name)
        if not isinstance(value, str):
            raise BackendError(f"The SSD graph has a constant where {name!r} should be computed.")
        return value

    def _value(self, name: str) -> str | Floats | Conv:
        if name not in self._done:
            self._done[name] = self._compute(name)
        return self._done[name]

    def _compute(self, name: str) -> str | Floats | Conv:
        if name not in self._nodes:
            raise BackendError(
                f"The SSD graph lacks the node {name!r}; it is not the model the manifest names."
            )
        node = self._nodes[name]
        match node.op:
            case "Const" if node.constant is not None:
                return node.constant
            case "Identity":
                return self._value(node.inputs[0])
            case "Conv2D" | "DepthwiseConv2dNative":
                return self._convolution(node)
            case "Relu6":
                return self._bounded(node)
            case "Rsqrt":
                return (1 / np.sqrt(self._constant(node.inputs[0]))).astype(np.float32)
            case "Mul" | "Add" | "Sub" | "BiasAdd":
                return self._arithmetic(node, name)
        raise BackendError(f"The SSD graph uses {node.op!r} at {name!r}, which the converter does not know.")

    def _bounded(self, node: Node) -> str:
        conv = self._value(node.inputs[0])
        if not isinstance(conv, Conv):
            raise BackendError(f"The SSD graph bounds {node.inputs[0]!r}, which is not a convolution.")
        return self._layers.bounded(conv)

    def _arithmetic(self, node: Node, name: str) -> str | Floats | Conv:
        left, right = (self._value(name) for name in node.inputs)
        if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
            op = {"Mul": np.multiply, "Add": np.add, "Sub": np.subtract}[node.op]
            return np.asarray(op(left, right), np.float32)
        if isinstance(left, Conv) and isinstance(right, np.ndarray):
            if node.op == "Mul":
                return Conv(left.source, left.weights * right[:, None, None, None], left.groups, left.strides)
            return Conv(left.source, left.weights, left.groups, left.strides, right)
        return self._layers.add([self._tensor(source) for source in node.inputs], name)

    def _convolution(self, node: Node) -> Conv:
        kernel = self._constant(node.inputs[1])
        if node.op == "DepthwiseConv2dNative":
            weights, groups = kernel.transpose(2, 3, 0, 1), kernel.shape[2]
        else:
            weights, groups = kernel.transpose(3, 2, 0, 1), 1
        return Conv(self._tensor(node.inputs[0]), weights, groups, node.strides[1:3])

    def _constant(self, name: str) -> Floats:
        value = self._value(name)
        if not isinstance(value, np.ndarray):
            raise BackendError(f"The SSD graph computes {name!r}, which should be a constant.")
        return value
