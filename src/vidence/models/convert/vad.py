"""Convert Silero's network so that all frames of a recording pass each layer in one matrix product.

As published, a frame's four short spectra are convolved frame by frame, in products so small that most of the
time goes into preparing them. Four steps are few enough to write each convolution as one matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from vidence.errors import BackendError
from vidence.models.convert.onnx_graph import GraphWriter, read_weights
from vidence.schema.perception import FloatArray

__all__ = ["convert"]

_INPUT, _PADDED = 576, 640
_HOP, _STEPS, _BINS = 128, 4, 129
_HIDDEN = 128
_STRIDES = (1, 2, 2, 1)


def convert(source: Path, target: Path) -> None:
    """Write the network to `target`; inputs, outputs and values stay those of `source`."""
    weights = read_weights(source)
    try:
        _write(weights).save(target)
    except (KeyError, ValueError) as exc:
        raise BackendError(f"The voice model {source} is not the one that is known: {exc}.") from exc


def _write(weights: dict[str, FloatArray]) -> GraphWriter:
    graph = GraphWriter("vad")
    x = _spectrum(graph, weights["encoder.feature_extractor.forward_basis_buffer"])
    steps = _STEPS
    for i, stride in enumerate(_STRIDES):
        kernel, bias = (weights[f"encoder.conv_layers.{i}.{part}"] for part in ("weight", "bias"))
        matrix = _as_matrix(kernel, steps, stride)
        steps = -(-steps // stride)
        x = graph.node("Relu", [_linear(graph, x, matrix, np.tile(bias, steps))])
    _classify(graph, x, weights)
    return graph


def _spectrum(graph: GraphWriter, basis: FloatArray) -> str:
    """Return the magnitudes of a frame's four spectra side by side, (frames, 4 × 129)."""
    x = graph.input("input", ["frames", _INPUT])
    pads = np.array([0, 0, 0, _PADDED - _INPUT], np.int64)
    x = graph.node("Pad", [x, graph.weight(pads)], mode="reflect")
    hops = _reshape(graph, x, (-1, _PADDED // _HOP, _HOP))
    windows = graph.node(
        "Concat", [_slice(graph, hops, 1, 0, _STEPS), _slice(graph, hops, 1, 1, _STEPS + 1)], axis=2
    )
    both = graph.node("MatMul", [windows, graph.weight(np.ascontiguousarray(basis[:, 0].T))])
    parts = [_slice(graph, both, 2, first, first + _BINS) for first in (0, _BINS)]
    power = graph.node("Add", [graph.node("Mul", [part, part]) for part in parts])
    return _reshape(graph, graph.node("Sqrt", [power]), (-1, _STEPS * _BINS))


def _classify(graph: GraphWriter, x: str, weights: dict[str, FloatArray]) -> None:
    """Add the recurrent layer and the speech probability of each frame."""
    state = [graph.input(name, [1, 1, _HIDDEN]) for name in ("h", "c")]
    lstm = [graph.weight(weights[f"onnx::LSTM_{number}"]) for number in (209, 210, 211)]
    hidden = graph.node(
        "LSTM",
        [_reshape(graph, x, (-1, 1, _HIDDEN)), *lstm, "", *state],
        more=("hn", "cn"),
        hidden_size=_HIDDEN,
    )
    active = graph.node("Relu", [_reshape(graph, hidden, (-1, _HIDDEN))])
    logit = _linear(
        graph, active, weights["decoder.conv1d.weight"].reshape(_HIDDEN, 1), weights["decoder.conv1d.bias"]
    )
    chance = graph.node("Sigmoid", [logit])
    graph.node("Reshape", [chance, graph.weight(np.array([-1], np.int64))], output="speech_probs")
    graph.output("speech_probs", ["frames"])
    for name in ("hn", "cn"):
        graph.output(name, [1, 1, _HIDDEN])


def _as_matrix(kernel: FloatArray, steps: int, stride: int) -> FloatArray:
    """Return a convolution (out, in, 3) over `steps`, with one step of zeros around them, as one matrix."""
    outputs, inputs, taps = kernel.shape
    given = -(-steps // stride)
    matrix = np.zeros((steps, inputs, given, outputs), np.float32)
    for to in range(given):
        for tap in range(taps):
            at = to * stride + tap - 1
            if 0 <= at < steps:
                matrix[at, :, to] = kernel[:, :, tap].T
    return matrix.reshape(steps * inputs, given * outputs)


def _linear(graph: GraphWriter, x: str, matrix: FloatArray, bias: FloatArray) -> str:
    return graph.node("Gemm", [x, graph.weight(matrix), graph.weight(bias)])


def _reshape(graph: GraphWriter, x: str, shape: Sequence[int]) -> str:
    return graph.node("Reshape", [x, graph.weight(np.array(shape, np.int64))])


def _slice(graph: GraphWriter, x: str, axis: int, first: int, last: int) -> str:
    return graph.node("Slice", [x, *(graph.weight(np.array([v], np.int64)) for v in (first, last, axis))])
