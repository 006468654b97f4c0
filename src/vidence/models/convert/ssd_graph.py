"""Rewrite the frozen TensorFlow SSD graph as ONNX, which runs several times faster on a CPU.

More than half of its work is two convolutions that make the scores of classes. `convert_quick` does these in
bytes: the scores then differ by less than a hundredth, and the whole takes little more than half of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.language.categories import categories
from vidence.models.convert.int8_write import Steps, conv_in_bytes, to_bytes, to_floats
from vidence.models.convert.onnx_write import Attribute, GraphWriter
from vidence.models.convert.tf_graph import Node, read_nodes

__all__ = ["NUM_HEADS", "convert", "convert_quick"]

NUM_HEADS = 6
_CLASSES = 91
"""COCO's 90 ids and the background."""
_INPUT = "Preprocessor/sub"
_RELU6 = Steps.over(0.0, 6.0)
_LOGITS = Steps.over(-3.0, 7.2)
"""What is less likely than 5 % is never kept, so the bytes of a score are spent on what matters."""
_FEW_CHANNELS = 128
"""A head on no more channels than this costs next to nothing."""

Floats = NDArray[np.float32]


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
    _Converter(read_nodes(source), quick=False).run(target)


def convert_quick(source: Path, target: Path) -> None:
    """Write the network with the scores computed in bytes."""
    _Converter(read_nodes(source), quick=True).run(target)


class _Converter:
    """Walks the graph backwards from the prediction heads, folding constants on the way."""

    def __init__(self, nodes: dict[str, Node], *, quick: bool) -> None:
        self._nodes, self._quick = nodes, quick
        self._graph = GraphWriter("ssd_mobilenet_v2_coco")
        self._done: dict[str, str | Floats | _Conv] = {_INPUT: self._graph.input("image", ["n", 3, "h", "w"])}

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
        scores = conv_in_bytes(
            self._graph,
            to_bytes(self._graph, conv.source, _RELU6),
            conv.weights,
            conv.bias,
            given=_RELU6,
            found=_LOGITS,
            **conv.attributes,
        )
        return to_floats(self._graph, scores, _LOGITS)

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

    def _arithmetic(self, node: Node) -> str | Floats | _Conv:
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

    def _convolution(self, node: Node) -> _Conv:
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
