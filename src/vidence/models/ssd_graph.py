"""Rewrite the frozen TensorFlow SSD graph as ONNX, which runs several times faster on a CPU."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.models.onnx_write import GraphWriter
from vidence.models.protobuf import fields, packed_ints

__all__ = ["NUM_CLASSES", "NUM_HEADS", "convert"]

NUM_HEADS = 6
NUM_CLASSES = 91
"""COCO's 90 ids and the background."""

_INPUT = "Preprocessor/sub"

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class _Node:
    op: str
    inputs: tuple[str, ...]
    strides: tuple[int, ...] = ()
    constant: Floats | None = None


@dataclass
class _Conv:
    """A convolution whose scale and bias are still being folded into it."""

    source: str
    weights: Floats
    """(out, in / groups, height, width)"""
    groups: int
    strides: tuple[int, ...]
    bias: Floats = field(default_factory=lambda: np.zeros(0, np.float32))


def convert(source: Path, target: Path) -> None:
    """Write the network of `source`, without its pre- and post-processing, to `target`."""
    _Converter(_read_nodes(source)).run(target)


class _Converter:
    """Walks the graph backwards from the prediction heads, folding constants on the way."""

    def __init__(self, nodes: dict[str, _Node]) -> None:
        self._nodes = nodes
        self._graph = GraphWriter("ssd_mobilenet_v2_coco")
        self._done: dict[str, str | Floats | _Conv] = {_INPUT: self._graph.input("image", ["n", 3, "h", "w"])}

    def run(self, target: Path) -> None:
        boxes = [self._head(i, "BoxEncodingPredictor", 4) for i in range(NUM_HEADS)]
        scores = [self._head(i, "ClassPredictor", NUM_CLASSES) for i in range(NUM_HEADS)]
        self._graph.node("Concat", boxes, output="boxes", axis=1)
        logits = self._graph.node("Concat", scores, axis=1)
        self._graph.node("Sigmoid", [logits], output="scores")
        self._graph.output("boxes", ["n", "anchors", 4])
        self._graph.output("scores", ["n", "anchors", NUM_CLASSES])
        self._graph.save(target)

    def _head(self, index: int, predictor: str, width: int) -> str:
        maps = self._tensor(f"BoxPredictor_{index}/{predictor}/BiasAdd")
        last = self._graph.node("Transpose", [maps], perm=[0, 2, 3, 1])
        shape = self._graph.weight(np.array([0, -1, width], np.int64))
        return self._graph.node("Reshape", [last, shape])

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

    def _emit(self, conv: _Conv) -> str:
        inputs = [conv.source, self._graph.weight(conv.weights)]
        if conv.bias.size:
            inputs.append(self._graph.weight(conv.bias))
        return self._graph.node(
            "Conv",
            inputs,
            strides=conv.strides,
            group=conv.groups,
            kernel_shape=conv.weights.shape[2:],
            # TensorFlow pads the far side more; ONNX calls that SAME_UPPER.
            auto_pad="SAME_UPPER",
        )


def _read_nodes(source: Path) -> dict[str, _Node]:
    nodes: dict[str, _Node] = {}
    for number, value in fields(memoryview(source.read_bytes())):
        if number == 1 and isinstance(value, memoryview):
            name, node = _read_node(value)
            nodes[name] = node
    return nodes


def _read_node(raw: memoryview) -> tuple[str, _Node]:
    name = op = ""
    inputs: list[str] = []
    strides: tuple[int, ...] = ()
    constant: Floats | None = None
    for number, value in fields(raw):
        if not isinstance(value, memoryview):
            continue
        match number:
            case 1:
                name = bytes(value).decode()
            case 2:
                op = bytes(value).decode()
            case 3:
                inputs.append(bytes(value).decode().removesuffix(":0"))
            case 5:
                key, attribute = (v for _, v in fields(value))
                if bytes(_view(key)) == b"strides":
                    strides = _read_ints(_view(attribute))
                elif bytes(_view(key)) == b"value":
                    constant = _read_tensor(_view(attribute))
    return name, _Node(op, tuple(inputs), strides, constant)


def _read_ints(attribute: memoryview) -> tuple[int, ...]:
    listed = next(_view(v) for n, v in fields(attribute) if n == 1)
    return tuple(item for n, v in fields(listed) if n == 3 for item in packed_ints(_view(v)))


def _read_tensor(attribute: memoryview) -> Floats | None:
    """Return a float tensor; the graph's integers only steer post-processing and are skipped."""
    tensor = next(_view(v) for n, v in fields(attribute) if n == 8)
    parts = dict(fields(tensor))
    if parts.get(1) != 1:
        return None
    dims = [
        next((int(v) for n, v in fields(_view(d)) if n == 1 and isinstance(v, int)), 0)
        for n, d in fields(_view(parts[2]))
        if n == 2
    ]
    raw = parts.get(4, parts.get(5))
    values = np.frombuffer(_view(raw), "<f4") if raw is not None else np.zeros(1, np.float32)
    return values.reshape(dims) if values.size == int(np.prod(dims)) else np.full(dims, values[0], np.float32)


def _view(value: int | memoryview | None) -> memoryview:
    if not isinstance(value, memoryview):
        raise BackendError("The SSD graph is damaged: a number stands where text or a message should.")
    return value
