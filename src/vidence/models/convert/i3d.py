"""Build the I3D network as ONNX from its weights, quantised, with batch normalisation folded in.

Quantised, a clip takes little more than a third of the time. No clips were needed to calibrate the ranges:
training left every channel with a spread of one around its bias, so the biases give the range of the values.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.models.convert.onnx_graph import GraphWriter
from vidence.models.convert.quantise import Quantisation, dequantise, quantised_conv

__all__ = ["ArrayTree", "convert", "load_arrays"]

_CLASSES = 400
_EPSILON = 1e-3
_REACH = 18.0
"""How many spreads above the highest bias a value may lie before it is clipped: some are far out."""
_PIXELS = Quantisation(1 / 127.5, 128)
"""A pixel means (value - 127.5) / 127.5; the missing half is put into the first bias."""
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
ArrayTree = dict[str, Union["ArrayTree", NDArray[np.float32]]]

_ADMITTED = {
    ("numpy.core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
}


def convert(weights: Path, target: Path) -> None:
    """Read the checkpoint and write the network that maps an 8-bit clip to 400 logits."""
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
class _Tensor:
    """A value of the graph and its quantisation."""

    name: str
    by: Quantisation


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

    def _first(self, clip: str, unit: _Unit) -> _Tensor:
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
        return self._convolve(_Tensor(packed, _PIXELS), whole, pads=[0] * 6)

    def _inception(self, net: _Tensor, name: str) -> _Tensor:
        pooled = self._pool(net, (3, 3, 3), (1, 1, 1))
        first = self._convolve(net, self._read(name, "Branch_1/Conv3d_0a_1x1"))
        second = self._convolve(net, self._read(name, "Branch_2/Conv3d_0a_1x1"))
        branches = [
            (net, self._read(name, "Branch_0/Conv3d_0a_1x1")),
            (first, self._read(name, "Branch_1/Conv3d_0b_3x3")),
            (second, self._read(name, "Branch_2/Conv3d_0b_3x3")),
            (pooled, self._read(name, "Branch_3/Conv3d_0b_1x1")),
        ]
        # Concatenated tensors must share one quantisation.
        by = Quantisation.over(0.0, max(unit.reach for _, unit in branches))
        parts = [self._convolve(source, unit, found=by).name for source, unit in branches]
        return _Tensor(self._graph.node("Concat", parts, axis=1), by)

    def _convolve(
        self, net: _Tensor, unit: _Unit, *, found: Quantisation | None = None, pads: list[int] | None = None
    ) -> _Tensor:
        """Convolve and rectify."""
        found = found or Quantisation.over(0.0, unit.reach)
        shape = unit.kernel.shape[2:]
        name = quantised_conv(
            self._graph,
            net.name,
            unit.kernel,
            unit.bias,
            given=net.by,
            found=found,
            kernel_shape=shape,
            pads=pads or [size // 2 for size in shape] * 2,
        )
        return _Tensor(name, found)

    def _pool(self, net: _Tensor, window: tuple[int, ...], strides: tuple[int, ...]) -> _Tensor:
        pooled = self._graph.node(
            "MaxPool", [net.name], kernel_shape=window, strides=strides, auto_pad="SAME_UPPER"
        )
        return _Tensor(pooled, net.by)

    def _logits(self, net: _Tensor) -> None:
        values = dequantise(self._graph, net.name, net.by)
        pooled = self._graph.node("AveragePool", [values], kernel_shape=[2, 7, 7], strides=[1, 1, 1])
        layer = _branch(_branch(self._params, "Logits/Conv3d_0c_1x1"), "Conv_0")
        weights = [
            self._graph.weight(_to_onnx(_array(layer, "kernel"))),
            self._graph.weight(_array(layer, "bias")),
        ]
        scores = self._graph.node("Conv", [pooled, *weights], kernel_shape=[1, 1, 1])
        self._graph.node("ReduceMean", [scores], output="logits", axes=[2, 3, 4], keepdims=0)
        self._graph.output("logits", ["n", _CLASSES])

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
        raise BackendError(f"The I3D weights lack {name!r}; the manifest names others.")
    return found


def _array(tree: ArrayTree, name: str) -> Floats:
    found = tree.get(name)
    if not isinstance(found, np.ndarray):
        raise BackendError(f"The I3D weights lack the array {name!r}; the manifest names others.")
    return found


class _ArrayUnpickler(pickle.Unpickler):
    """Admits the four names an array is pickled with, and refuses every other."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ADMITTED:
            raise BackendError(
                f"The weights name {module}.{name}; only NumPy arrays are admitted, so they are refused."
            )
        if name == "_reconstruct":
            return _reconstruct
        return getattr(np, name)


def load_arrays(path: Path) -> ArrayTree:
    """Return the nested dictionary of float arrays stored in `path`."""
    try:
        with path.open("rb") as file:
            tree = _ArrayUnpickler(file).load()
    except BackendError:
        raise
    except Exception as exc:  # a damaged pickle may raise nearly anything
        raise BackendError(f"The weights in {path} cannot be read: {type(exc).__name__}: {exc}") from exc
    return _checked(tree, path)


def _reconstruct(kind: type, shape: tuple[int, ...], typecode: bytes) -> NDArray[Any]:
    if kind is not np.ndarray:
        raise BackendError("The weights hold something that is not a plain array, so they are refused.")
    return np.ndarray(shape, typecode.decode())


def _checked(tree: object, path: Path) -> ArrayTree:
    if not isinstance(tree, dict):
        raise BackendError(f"The weights in {path} are not a dictionary of arrays.")
    found: ArrayTree = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            found[str(key)] = _checked(value, path)
        elif isinstance(value, np.ndarray) and value.dtype == np.float32:
            found[str(key)] = value
        else:
            raise BackendError(f"The weights in {path} hold a {type(value).__name__} under {key!r}.")
    return found
