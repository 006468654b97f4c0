"""Build the I3D network as ONNX from its weights, batch normalisation folded in, computing in bytes.

In bytes a clip takes little more than a third of the time. No clips were needed to find the ranges: training
left every channel with a spread of one around its bias, so the biases say how far the values reach.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.models.convert.int8_write import Steps, conv_in_bytes, to_floats
from vidence.models.convert.onnx_write import GraphWriter
from vidence.models.convert.weights_pickle import ArrayTree, load_arrays

__all__ = ["NUM_CLASSES", "build_graph"]

NUM_CLASSES = 400
_EPSILON = 1e-3
_REACH = 18.0
"""How many spreads above the highest bias a value may lie before it is cut off: some are far out."""
_PIXELS = Steps(1 / 127.5, 128)
"""A byte of the clip means (byte - 127.5) / 127.5; the missing half is put into the first bias."""
_SIDE = 224
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
    """Read the checkpoint and write the network that maps a clip of bytes to 400 logits."""
    tree = load_arrays(weights)
    _I3d(_branch(tree, "params"), _branch(tree, "batch_stats")).write(target)


@dataclass(frozen=True)
class _Unit:
    """A convolution with its normalisation folded in."""

    kernel: Floats
    bias: Floats
    reach: float
    """The largest value it is taken to give."""


@dataclass(frozen=True)
class _Bytes:
    """A value of the graph and what its bytes mean."""

    name: str
    steps: Steps


class _I3d:
    """Emits the layers in order; the names are those of the checkpoint."""

    def __init__(self, params: ArrayTree, stats: ArrayTree) -> None:
        self._params, self._stats = params, stats
        self._graph = GraphWriter("i3d_kinetics400")

    def write(self, target: Path) -> None:
        clip = self._graph.input("clip", ["n", 3, "frames", _SIDE, _SIDE], dtype="uint8")
        net = self._first(clip, self._read("Conv3d_1a_7x7"))
        net = self._pool(net, (1, 3, 3), (1, 2, 2))
        net = self._convolve(net, self._read("Conv3d_2b_1x1"))
        net = self._convolve(net, self._read("Conv3d_2c_3x3"))
        net = self._pool(net, (1, 3, 3), (1, 2, 2))
        for name, pooling in _BLOCKS:
            net = self._pool(net, *pooling) if pooling else net
            net = self._inception(net, f"Mixed_{name}")
        self._logits(net)
        self._graph.save(target)

    def _first(self, clip: str, unit: _Unit) -> _Bytes:
        """Convolve the clip by 7 × 7 × 7 in steps of two.

        Three channels are too few to keep a processor busy, so every 2 × 2 × 2 block is made one place of 24
        channels, over which a kernel of 4 × 4 × 4 without steps does the same.
        """
        blocks, half = _SIDE // 2 + 3, [2, 2, 2]
        pads = self._graph.weight(np.array([0, 0, *half, 0, 0, 4, 4, 4], np.int64))
        black = self._graph.weight(np.array(_PIXELS.zero, np.uint8))
        padded = self._graph.node("Pad", [clip, pads, black])
        split = self._graph.weight(np.array([0, 3, -1, 2, blocks, 2, blocks, 2], np.int64))
        apart = self._graph.node("Reshape", [padded, split])
        turned = self._graph.node("Transpose", [apart], perm=[0, 1, 3, 5, 7, 2, 4, 6])
        joined = self._graph.weight(np.array([0, 24, -1, blocks, blocks], np.int64))
        packed = self._graph.node("Reshape", [turned, joined])
        kernel = np.pad(unit.kernel, ((0, 0), (0, 0), (0, 1), (0, 1), (0, 1)))
        out = len(kernel)
        kernel = kernel.reshape(out, 3, 4, 2, 4, 2, 4, 2).transpose(0, 1, 3, 5, 7, 2, 4, 6)
        bias = unit.bias + unit.kernel.sum(axis=(1, 2, 3, 4)) * np.float32(0.5 * _PIXELS.scale)
        whole = _Unit(np.ascontiguousarray(kernel.reshape(out, 24, 4, 4, 4)), bias, unit.reach)
        return self._convolve(_Bytes(packed, _PIXELS), whole, pads=[0] * 6)

    def _inception(self, net: _Bytes, name: str) -> _Bytes:
        pooled = self._pool(net, (3, 3, 3), (1, 1, 1))
        first = self._convolve(net, self._read(name, "Branch_1/Conv3d_0a_1x1"))
        second = self._convolve(net, self._read(name, "Branch_2/Conv3d_0a_1x1"))
        branches = [
            (net, self._read(name, "Branch_0/Conv3d_0a_1x1")),
            (first, self._read(name, "Branch_1/Conv3d_0b_3x3")),
            (second, self._read(name, "Branch_2/Conv3d_0b_3x3")),
            (pooled, self._read(name, "Branch_3/Conv3d_0b_1x1")),
        ]
        # What is laid side by side must be counted in the same steps.
        steps = Steps.over(0.0, max(unit.reach for _, unit in branches))
        parts = [self._convolve(source, unit, found=steps).name for source, unit in branches]
        return _Bytes(self._graph.node("Concat", parts, axis=1), steps)

    def _convolve(
        self, net: _Bytes, unit: _Unit, *, found: Steps | None = None, pads: list[int] | None = None
    ) -> _Bytes:
        """Convolve and rectify."""
        found = found or Steps.over(0.0, unit.reach)
        shape = unit.kernel.shape[2:]
        name = conv_in_bytes(
            self._graph,
            net.name,
            unit.kernel,
            unit.bias,
            given=net.steps,
            found=found,
            kernel_shape=shape,
            pads=pads or [size // 2 for size in shape] * 2,
        )
        return _Bytes(name, found)

    def _pool(self, net: _Bytes, window: tuple[int, ...], strides: tuple[int, ...]) -> _Bytes:
        pooled = self._graph.node(
            "MaxPool", [net.name], kernel_shape=window, strides=strides, auto_pad="SAME_UPPER"
        )
        return _Bytes(pooled, net.steps)

    def _logits(self, net: _Bytes) -> None:
        values = to_floats(self._graph, net.name, net.steps)
        pooled = self._graph.node("AveragePool", [values], kernel_shape=[2, 7, 7], strides=[1, 1, 1])
        layer = _branch(_branch(self._params, "Logits/Conv3d_0c_1x1"), "Conv_0")
        weights = [
            self._graph.weight(_to_onnx(_array(layer, "kernel"))),
            self._graph.weight(_array(layer, "bias")),
        ]
        scores = self._graph.node("Conv", [pooled, *weights], kernel_shape=[1, 1, 1])
        self._graph.node("ReduceMean", [scores], output="logits", axes=[2, 3, 4], keepdims=0)
        self._graph.output("logits", ["n", NUM_CLASSES])

    def _read(self, *path: str) -> _Unit:
        params, stats = self._params, self._stats
        for name in path:
            params, stats = _branch(params, name), _branch(stats, name)
        norm, running = _branch(params, "BatchNorm_0"), _branch(stats, "BatchNorm_0")
        # Sonnet kept its statistics as (1, 1, 1, 1, channels).
        scale = 1 / np.sqrt(_array(running, "var").ravel() + _EPSILON)
        kernel = _to_onnx(_array(_branch(params, "Conv_0"), "kernel") * scale)
        centre = _array(norm, "bias").ravel()
        bias = (centre - _array(running, "mean").ravel() * scale).astype(np.float32)
        return _Unit(kernel, bias, float(centre.max()) + _REACH)


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
