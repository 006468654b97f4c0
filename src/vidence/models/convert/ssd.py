"""Convert the frozen TensorFlow SSD graph to ONNX, which runs several times faster on a CPU.

More than half of its work is two convolutions that compute the class scores. `convert_quick` quantises these:
the scores then differ by less than a hundredth, and the whole takes little more than half of the time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.language.categories import categories
from vidence.models.convert.onnx_graph import Attribute, GraphWriter
from vidence.models.convert.quantise import Quantisation, dequantise, quantise, quantised_conv
from vidence.models.protobuf import compile_schema

__all__ = ["convert", "convert_quick"]

_HEADS = 6
_INNER = 1
"""The head on the last layer of the backbone, 10 × 10: what it sees is given, too."""
_CLASSES = 91
"""COCO's 90 ids and the background."""
_INPUT = "Preprocessor/sub"
_RELU6 = Quantisation.over(0.0, 6.0)
_LOGITS = Quantisation.over(-3.0, 7.2)
"""Scores below 5 % are never kept, so the 8 bits are spent on the range above."""
_FEW_CHANNELS = 128
"""A head on no more channels than this is too cheap to be worth quantising."""
_TENSORFLOW = compile_schema(
    "tensorflow",
    """
    message Dimension { int64 size = 1; }
    message Shape { repeated Dimension dim = 2; }
    message Tensor {
        int32 dtype = 1; Shape tensor_shape = 2; bytes tensor_content = 4; repeated float float_val = 5;
    }
    message Numbers { repeated int64 i = 3; }
    message Value { Numbers list = 1; Tensor tensor = 8; }
    message Attribute { string key = 1; Value value = 2; }
    message Node { string name = 1; string op = 2; repeated string input = 3; repeated Attribute attr = 5; }
    message Graph { repeated Node node = 1; }
    """,
)
_FLOAT = 1

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class _Node:
    """One operation of a TensorFlow graph; a constant carries its values."""

    op: str
    inputs: tuple[str, ...]
    strides: tuple[int, ...] = ()
    constant: Floats | None = None


@dataclass(frozen=True)
class _Conv:
    """A convolution whose scale and bias are still being folded into it."""

    source: str
    weights: Floats
    """(out, in / groups, height, width)"""
    groups: int
    strides: tuple[int, ...]
    bias: Floats = field(default_factory=lambda: np.zeros(0, np.float32))

    @property
    def attributes(self) -> dict[str, Attribute]:
        """How the kernel moves."""
        return {
            "strides": self.strides,
            "group": self.groups,
            "kernel_shape": self.weights.shape[2:],
            # TensorFlow pads the far side more; ONNX calls that SAME_UPPER.
            "auto_pad": "SAME_UPPER",
        }


def convert(source: Path, target: Path) -> None:
    """Write the network of `source`, without its pre- and post-processing, to `target`."""
    _Converter(_read_nodes(source), quick=False).run(target)


def convert_quick(source: Path, target: Path) -> None:
    """Write the network with the class scores quantised."""
    _Converter(_read_nodes(source), quick=True).run(target)


def _read_nodes(source: Path) -> dict[str, _Node]:
    """Return the operations of a frozen graph by name."""
    try:
        graph = _TENSORFLOW["Graph"].FromString(source.read_bytes())
    except DecodeError as exc:
        raise BackendError(f"The TensorFlow graph {source} is damaged: {exc}.") from exc
    return {node.name: _read_node(node) for node in graph.node}


def _read_node(node: Any) -> _Node:
    values = {attribute.key: attribute.value for attribute in node.attr}
    strides = tuple(values["strides"].list.i) if "strides" in values else ()
    constant = _read_tensor(values["value"].tensor) if "value" in values else None
    return _Node(node.op, tuple(name.removesuffix(":0") for name in node.input), strides, constant)


def _read_tensor(tensor: Any) -> Floats | None:
    """Return a float tensor; the graph's integers only steer post-processing and are skipped."""
    if tensor.dtype != _FLOAT:
        return None
    dims = [dim.size for dim in tensor.tensor_shape.dim]
    raw = np.frombuffer(tensor.tensor_content, "<f4")
    values = raw if raw.size else np.array(tensor.float_val or [0.0], np.float32)
    return values.reshape(dims) if values.size == math.prod(dims) else np.full(dims, values[0], np.float32)


class _Converter:
    """Walks the graph back from the prediction heads and folds constants on the way."""

    def __init__(self, nodes: dict[str, _Node], *, quick: bool) -> None:
        self._nodes, self._quick = nodes, quick
        self._graph = GraphWriter("ssd_mobilenet_v2_coco")
        self._done: dict[str, str | Floats | _Conv] = {_INPUT: self._graph.input("image", ["n", 3, "h", "w"])}

    def run(self, target: Path) -> None:
        boxes = [self._head(i, "BoxEncodingPredictor", 4, range(4)) for i in range(_HEADS)]
        # Each class has its own score, so unnamed classes need not be computed.
        named = sorted(categories())
        logits = [self._head(i, "ClassPredictor", _CLASSES, named) for i in range(_HEADS)]
        self._graph.node("Concat", boxes, output="boxes", axis=1)
        self._graph.node("Sigmoid", [self._graph.node("Concat", logits, axis=1)], output="scores")
        inner = self._convolved(f"BoxPredictor_{_INNER}/BoxEncodingPredictor/BiasAdd").source
        self._graph.node("Transpose", [inner], output="features", perm=[0, 2, 3, 1])
        self._graph.output("features", ["n", "rows", "columns", "channels"])
        self._graph.output("boxes", ["n", "anchors", 4])
        self._graph.output("scores", ["n", "anchors", len(named)])
        self._graph.save(target)

    def _head(self, index: int, predictor: str, width: int, kept: Sequence[int]) -> str:
        """Add one predictor with the channels `kept` of every `width`, as (n, anchors, channels)."""
        name = f"BoxPredictor_{index}/{predictor}/BiasAdd"
        conv = self._convolved(name)
        chosen = [start + one for start in range(0, len(conv.weights), width) for one in kept]
        conv = replace(conv, weights=conv.weights[chosen], bias=conv.bias[chosen])
        maps = self._scores(conv) if width == _CLASSES else self._emit(conv)
        last = self._graph.node("Transpose", [maps], perm=[0, 2, 3, 1])
        shape = self._graph.weight(np.array([0, -1, len(kept)], np.int64))
        return self._graph.node("Reshape", [last, shape])

    def _scores(self, conv: _Conv) -> str:
        if not self._quick or conv.weights.shape[1] <= _FEW_CHANNELS:
            return self._emit(conv)
        scores = quantised_conv(
            self._graph,
            quantise(self._graph, conv.source, _RELU6),
            conv.weights,
            conv.bias,
            given=_RELU6,
            found=_LOGITS,
            **conv.attributes,
        )
        return dequantise(self._graph, scores, _LOGITS)

    def _emit(self, conv: _Conv) -> str:
        weights = [conv.weights, conv.bias] if conv.bias.size else [conv.weights]
        inputs = [conv.source, *(self._graph.weight(one) for one in weights)]
        return self._graph.node("Conv", inputs, output=None, more=(), **conv.attributes)

    def _convolved(self, name: str) -> _Conv:
        conv = self._value(name)
        if not isinstance(conv, _Conv):
            raise BackendError(f"The SSD graph has no convolution at {name!r}.")
        return conv

    def _tensor(self, name: str) -> str:
        value = self._value(name)
        if isinstance(value, _Conv):
            value = self._done[name] = self._emit(value)
        if not isinstance(value, str):
            raise BackendError(f"The SSD graph has a constant where {name!r} should be computed.")
        return value

    def _value(self, name: str) -> str | Floats | _Conv:
        if name not in self._done:
            self._done[name] = self._compute(name)
        return self._done[name]

    def _compute(self, name: str) -> str | Floats | _Conv:
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
                bounds = [self._graph.weight(np.array(x, np.float32)) for x in (0, 6)]
                return self._graph.node("Clip", [self._tensor(node.inputs[0]), *bounds])
            case "Rsqrt":
                return (1 / np.sqrt(self._constant(node.inputs[0]))).astype(np.float32)
            case "Mul" | "Add" | "Sub" | "BiasAdd":
                return self._arithmetic(node)
        raise BackendError(f"The SSD graph uses {node.op!r} at {name!r}, which the converter does not know.")

    def _arithmetic(self, node: _Node) -> str | Floats | _Conv:
        left, right = (self._value(name) for name in node.inputs)
        if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
            op = {"Mul": np.multiply, "Add": np.add, "Sub": np.subtract}[node.op]
            return np.asarray(op(left, right), np.float32)
        if isinstance(left, _Conv) and isinstance(right, np.ndarray):
            if node.op == "Mul":
                return _Conv(
                    left.source, left.weights * right[:, None, None, None], left.groups, left.strides
                )
            return _Conv(left.source, left.weights, left.groups, left.strides, right)
        return self._graph.node("Add", [self._tensor(name) for name in node.inputs])

    def _convolution(self, node: _Node) -> _Conv:
        kernel = self._constant(node.inputs[1])
        if node.op == "DepthwiseConv2dNative":
            weights, groups = kernel.transpose(2, 3, 0, 1), kernel.shape[2]
        else:
            weights, groups = kernel.transpose(3, 2, 0, 1), 1
        return _Conv(self._tensor(node.inputs[0]), weights, groups, node.strides[1:3])

    def _constant(self, name: str) -> Floats:
        value = self._value(name)
        if not isinstance(value, np.ndarray):
            raise BackendError(f"The SSD graph computes {name!r}, which should be a constant.")
        return value
