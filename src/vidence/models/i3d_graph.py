"""Build the I3D network as ONNX from its weights, batch normalisation folded into the convolutions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.models.onnx_write import GraphWriter
from vidence.models.weights_pickle import ArrayTree, load_arrays

__all__ = ["NUM_CLASSES", "build_graph"]

NUM_CLASSES = 400
_EPSILON = 1e-3
_BLOCKS = (
    ("3b", None),
    ("3c", None),
    ("4b", ((3, 3, 3), (2, 2, 2))),
    ("4c", None),
    ("4d", None),
    ("4e", None),
    ("4f", None),
    ("5b", ((2, 2, 2), (2, 2, 2))),
    ("5c", None),
)
"""The inception modules in order, with the pooling (window, stride) before each."""

Floats = NDArray[np.float32]


def build_graph(weights: Path, target: Path) -> None:
    """Read the checkpoint and write the network that maps a clip to 400 logits."""
    tree = load_arrays(weights)
    _I3d(_branch(tree, "params"), _branch(tree, "batch_stats")).write(target)


class _I3d:
    """Emits the layers in order; the names are those of the checkpoint."""

    def __init__(self, params: ArrayTree, stats: ArrayTree) -> None:
        self._params, self._stats = params, stats
        self._graph = GraphWriter("i3d_kinetics400")

    def write(self, target: Path) -> None:
        net = self._graph.input("clip", ["n", 3, "frames", 224, 224])
        net = self._unit(net, ("Conv3d_1a_7x7",), stride=2)
        net = self._pool(net, (1, 3, 3), (1, 2, 2))
        net = self._unit(net, ("Conv3d_2b_1x1",))
        net = self._unit(net, ("Conv3d_2c_3x3",))
        net = self._pool(net, (1, 3, 3), (1, 2, 2))
        for name, pooling in _BLOCKS:
            net = self._pool(net, *pooling) if pooling else net
            net = self._inception(net, f"Mixed_{name}")
        self._logits(net)
        self._graph.save(target)

    def _logits(self, net: str) -> None:
        pooled = self._graph.node("AveragePool", [net], kernel_shape=[2, 7, 7], strides=[1, 1, 1])
        layer = _branch(_branch(self._params, "Logits/Conv3d_0c_1x1"), "Conv_0")
        weights = [
            self._graph.weight(_to_onnx(_array(layer, "kernel"))),
            self._graph.weight(_array(layer, "bias")),
        ]
        scores = self._graph.node("Conv", [pooled, *weights], kernel_shape=[1, 1, 1])
        self._graph.node("ReduceMean", [scores], output="logits", axes=[2, 3, 4], keepdims=0)
        self._graph.output("logits", ["n", NUM_CLASSES])

    def _inception(self, net: str, name: str) -> str:
        straight = self._unit(net, (name, "Branch_0/Conv3d_0a_1x1"))
        first = self._unit(
            self._unit(net, (name, "Branch_1/Conv3d_0a_1x1")), (name, "Branch_1/Conv3d_0b_3x3")
        )
        second = self._unit(
            self._unit(net, (name, "Branch_2/Conv3d_0a_1x1")), (name, "Branch_2/Conv3d_0b_3x3")
        )
        pooled = self._unit(self._pool(net, (3, 3, 3), (1, 1, 1)), (name, "Branch_3/Conv3d_0b_1x1"))
        return self._graph.node("Concat", [straight, first, second, pooled], axis=1)

    def _unit(self, net: str, path: tuple[str, ...], *, stride: int = 1) -> str:
        params, stats = self._params, self._stats
        for name in path:
            params, stats = _branch(params, name), _branch(stats, name)
        norm, running = _branch(params, "BatchNorm_0"), _branch(stats, "BatchNorm_0")
        # Sonnet kept its statistics as (1, 1, 1, 1, channels).
        scale = 1 / np.sqrt(_array(running, "var").ravel() + _EPSILON)
        kernel = _to_onnx(_array(_branch(params, "Conv_0"), "kernel") * scale)
        bias = (_array(norm, "bias").ravel() - _array(running, "mean").ravel() * scale).astype(np.float32)
        convolved = self._graph.node(
            "Conv",
            [net, self._graph.weight(kernel), self._graph.weight(bias)],
            kernel_shape=kernel.shape[2:],
            strides=[stride] * 3,
            auto_pad="SAME_UPPER",
        )
        return self._graph.node("Relu", [convolved])

    def _pool(self, net: str, window: tuple[int, ...], strides: tuple[int, ...]) -> str:
        return self._graph.node("MaxPool", [net], kernel_shape=window, strides=strides, auto_pad="SAME_UPPER")


def _to_onnx(kernel: Floats) -> Floats:
    """Reorder (time, height, width, in, out) to (out, in, time, height, width)."""
    return np.ascontiguousarray(kernel.transpose(4, 3, 0, 1, 2), np.float32)


def _branch(tree: ArrayTree, name: str) -> ArrayTree:
    found = tree.get(name)
    if not isinstance(found, dict):
        raise BackendError(f"The I3D weights lack {name!r}; they are not the ones the manifest names.")
    return found


def _array(tree: ArrayTree, name: str) -> Floats:
    found = tree.get(name)
    if not isinstance(found, np.ndarray):
        raise BackendError(
            f"The I3D weights lack the array {name!r}; they are not the ones the manifest names."
        )
    return found
