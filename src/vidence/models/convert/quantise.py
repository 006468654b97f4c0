"""Write convolutions quantised to 8 bits: a third of the time of floats on most processors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vidence.models.convert.onnx_graph import Attribute, GraphWriter

__all__ = ["Quantisation", "dequantise", "quantise", "quantised_conv"]

Floats = NDArray[np.float32]

_MAX_WEIGHT = 63
"""Without VNNI a processor adds two products in 16 bits, which more than 7 bits a weight would overflow."""


@dataclass(frozen=True)
class Quantisation:
    """How 8-bit values stand for numbers: (value - zero) × scale."""

    scale: float
    zero: int

    @classmethod
    def over(cls, low: float, high: float) -> Quantisation:
        """Return the quantisation of a range; values outside are clipped, zero is exact."""
        low, high = min(low, 0.0), max(high, 0.0)
        scale = max(high - low, 1e-6) / 255
        return cls(scale, round(-low / scale))


def quantise(graph: GraphWriter, source: str, by: Quantisation) -> str:
    """Turn floats into 8-bit values."""
    return graph.node("QuantizeLinear", [source, *_constants(graph, by)])


def dequantise(graph: GraphWriter, source: str, by: Quantisation) -> str:
    """Turn 8-bit values back into floats."""
    return graph.node("DequantizeLinear", [source, *_constants(graph, by)])


def quantised_conv(
    graph: GraphWriter,
    source: str,
    weights: Floats,
    bias: Floats,
    *,
    given: Quantisation,
    found: Quantisation,
    **attributes: Attribute,
) -> str:
    """Convolve 8-bit values to 8-bit values; weights get a scale for each output channel.

    Args:
        given: the quantisation of the input.
        found: the quantisation of the output; one that begins at 0 also acts as a rectifier.
    """
    scales, rounded = _round(weights)
    inputs = [
        source,
        *_constants(graph, given),
        graph.weight(rounded),
        graph.weight(scales),
        graph.weight(np.zeros(len(scales), np.int8)),
        *_constants(graph, found),
        graph.weight(np.round(bias / (scales * np.float32(given.scale))).astype(np.int32)),
    ]
    return graph.node("QLinearConv", inputs, output=None, more=(), **attributes)


def _round(weights: Floats) -> tuple[Floats, NDArray[np.int8]]:
    """Return a scale for each output channel and its weights as multiples of it.

    Inputs are mostly above 0, so rounding errors that do not cancel would shift every result. The weights
    that were rounded furthest are rounded the other way until the sum over each kernel is right again.
    """
    peaks = np.abs(weights).reshape(len(weights), -1).max(axis=1)
    scales = np.maximum(peaks / _MAX_WEIGHT, 1e-12).astype(np.float32)
    exact = weights / scales.reshape(-1, *[1] * (weights.ndim - 1))
    # In a 1 × 1 kernel errors can only cancel across channels.
    places = exact.reshape(*weights.shape[:2], -1)
    rows = places if places.shape[2] > 1 else places.transpose(0, 2, 1)
    rounded = np.round(rows)
    error = rows - rounded
    missing = np.round(error.sum(axis=2, keepdims=True))
    rank = np.argsort(np.argsort(-error * np.sign(missing), axis=2), axis=2)
    rounded += np.where(rank < np.abs(missing), np.sign(missing), 0)
    rounded = rounded if places.shape[2] > 1 else rounded.transpose(0, 2, 1)
    return scales, np.clip(rounded, -_MAX_WEIGHT, _MAX_WEIGHT).astype(np.int8).reshape(weights.shape)


def _constants(graph: GraphWriter, by: Quantisation) -> tuple[str, str]:
    return graph.weight(np.array(by.scale, np.float32)), graph.weight(np.array(by.zero, np.uint8))
