"""Write convolutions that compute in 8-bit integers: a third of the time of floats on most processors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vidence.models.convert.onnx_write import Attribute, GraphWriter

__all__ = ["Steps", "conv_in_bytes", "to_bytes", "to_floats"]

Floats = NDArray[np.float32]

_MOST = 63
"""Without VNNI a processor adds two products in 16 bits, which more than 7 bits a weight would overflow."""


@dataclass(frozen=True)
class Steps:
    """How a tensor's bytes mean numbers: (byte - zero) × scale."""

    scale: float
    zero: int

    @classmethod
    def over(cls, low: float, high: float) -> Steps:
        """Return the steps that cover a range; what lies outside is cut off, zero is met exactly."""
        low, high = min(low, 0.0), max(high, 0.0)
        scale = max(high - low, 1e-6) / 255
        return cls(scale, round(-low / scale))


def conv_in_bytes(
    graph: GraphWriter,
    source: str,
    weights: Floats,
    bias: Floats,
    *,
    given: Steps,
    found: Steps,
    **attributes: Attribute,
) -> str:
    """Convolve bytes to bytes; weights get a scale for each output channel.

    Args:
        given: the range of what goes in.
        found: the range of what comes out; one that begins at 0 makes a rectifier of it for nothing.
    """
    scales, coarse = _coarse(weights)
    inputs = [
        source,
        *_constants(graph, given),
        graph.weight(coarse),
        graph.weight(scales),
        graph.weight(np.zeros(len(scales), np.int8)),
        *_constants(graph, found),
        graph.weight(np.round(bias / (scales * np.float32(given.scale))).astype(np.int32)),
    ]
    return graph.node("QLinearConv", inputs, output=None, more=(), **attributes)


def to_bytes(graph: GraphWriter, source: str, steps: Steps) -> str:
    """Turn floats into bytes."""
    return graph.node("QuantizeLinear", [source, *_constants(graph, steps)])


def to_floats(graph: GraphWriter, source: str, steps: Steps) -> str:
    """Turn bytes back into floats."""
    return graph.node("DequantizeLinear", [source, *_constants(graph, steps)])


def _coarse(weights: Floats) -> tuple[Floats, NDArray[np.int8]]:
    """Return a scale for each output channel and its weights in steps of it.

    What comes in is mostly above 0, so errors of rounding that do not cancel would shift every result. The
    weights that were rounded furthest go the other way until the sum over each kernel is right again.
    """
    peaks = np.abs(weights).reshape(len(weights), -1).max(axis=1)
    scales = np.maximum(peaks / _MOST, 1e-12).astype(np.float32)
    exact = weights / scales.reshape(-1, *[1] * (weights.ndim - 1))
    # A kernel of one place has nothing to cancel with but those of the other channels.
    places = exact.reshape(*weights.shape[:2], -1)
    rows = places if places.shape[2] > 1 else places.transpose(0, 2, 1)
    coarse = np.round(rows)
    error = rows - coarse
    owed = np.round(error.sum(axis=2, keepdims=True))
    rank = np.argsort(np.argsort(-error * np.sign(owed), axis=2), axis=2)
    coarse += np.where(rank < np.abs(owed), np.sign(owed), 0)
    coarse = coarse if places.shape[2] > 1 else coarse.transpose(0, 2, 1)
    return scales, np.clip(coarse, -_MOST, _MOST).astype(np.int8).reshape(weights.shape)


def _constants(graph: GraphWriter, steps: Steps) -> tuple[str, str]:
    scale, zero = np.array(steps.scale, np.float32), np.array(steps.zero, np.uint8)
    return graph.weight(scale), graph.weight(zero)
