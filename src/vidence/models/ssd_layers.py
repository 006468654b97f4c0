"""The layers of the SSD network, in floats for measuring and in bytes for use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vidence.models.int8_write import Int8Layers, Steps
from vidence.models.onnx_write import Attribute, GraphWriter

__all__ = ["ByteLayers", "Conv", "FloatLayers"]

_PIXEL = 2 / 255
_HALF_PIXEL = _PIXEL / 2
"""Pixels are centred at 127.5, which is no byte: they are counted from 128, and this is made up for."""
_LOGITS = Steps.over(-3.0, 7.2)
"""What is less likely than 5 % is never kept, so the bytes of a score are spent on what matters."""
_RELU6 = Steps(6 / 255, 0)
_FEW_CHANNELS = 128
"""A score head on no more channels than this costs next to nothing and stays in floats."""

Floats = NDArray[np.float32]


@dataclass
class Conv:
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


class FloatLayers:
    """Writes the network as it was trained.

    Args:
        watch: make what `ByteLayers` needs a range for an output too.
    """

    def __init__(self, graph: GraphWriter, *, watch: bool = False) -> None:
        self._graph, self._watches = graph, watch
        self.watched: list[str] = []

    def image(self) -> str:
        """Declare the input, pixels as bytes, and spread them from -1 to 1."""
        pixels = self._graph.input("image", ["n", 3, "h", "w"], dtype="uint8")
        numbers = self._graph.node("Cast", [pixels], to=1)
        scaled = self._graph.node("Mul", [numbers, self._graph.weight(np.array(_PIXEL, np.float32))])
        return self._graph.node("Sub", [scaled, self._graph.weight(np.array(1, np.float32))])

    def bounded(self, conv: Conv) -> str:
        """Convolve and cut off at 0 and 6."""
        bounds = [self._graph.weight(np.array(x, np.float32)) for x in (0, 6)]
        return self._graph.node("Clip", [self._conv(conv), *bounds])

    def plain(self, conv: Conv, name: str) -> str:
        """Convolve only."""
        return self._watch(self._conv(conv), name)

    def add(self, sources: Sequence[str], name: str) -> str:
        """Add two tensors."""
        return self._watch(self._graph.node("Add", sources), name)

    def head(self, conv: Conv, *, is_score: bool) -> str:
        """Convolve the last time."""
        return self._conv(conv)

    def _conv(self, conv: Conv) -> str:
        weights = [conv.weights, conv.bias] if conv.bias.size else [conv.weights]
        inputs = [conv.source, *(self._graph.weight(one) for one in weights)]
        return self._graph.node("Conv", inputs, output=None, **conv.attributes)

    def _watch(self, tensor: str, name: str) -> str:
        if self._watches:
            self._graph.node("Identity", [tensor], output=name)
            self._graph.output(name, ["n", f"{name} c", f"{name} h", f"{name} w"])
            self.watched.append(name)
        return tensor


class ByteLayers:
    """Writes the network in bytes; boxes and the small heads are computed in floats at the end."""

    def __init__(self, graph: GraphWriter, ranges: Mapping[str, tuple[float, float]]) -> None:
        self._graph, self._ranges = graph, ranges
        self._layers = Int8Layers(graph)
        self._image = ""

    def image(self) -> str:
        """Declare the input: pixels as bytes."""
        self._image = self._graph.input("image", ["n", 3, "h", "w"], dtype="uint8")
        return self._layers.know(self._image, Steps(_PIXEL, 128))

    def bounded(self, conv: Conv) -> str:
        """Convolve; the bytes of the result end at 0 and 6, which is the cutting off."""
        return self._conv(conv, _RELU6)

    def plain(self, conv: Conv, name: str) -> str:
        """Convolve only."""
        return self._conv(conv, Steps.over(*self._ranges[name]))

    def add(self, sources: Sequence[str], name: str) -> str:
        """Add two tensors."""
        return self._layers.add(sources, Steps.over(*self._ranges[name]))

    def head(self, conv: Conv, *, is_score: bool) -> str:
        """Convolve the last time, to floats."""
        if is_score and conv.weights.shape[1] > _FEW_CHANNELS:
            return self._layers.floats(self._conv(conv, _LOGITS))
        source = self._layers.floats(conv.source)
        weights = [self._graph.weight(one) for one in (conv.weights, conv.bias)]
        return self._graph.node("Conv", [source, *weights], output=None, **conv.attributes)

    def _conv(self, conv: Conv, output: Steps) -> str:
        bias = conv.bias if conv.bias.size else np.zeros(len(conv.weights), np.float32)
        if conv.source == self._image:
            bias = bias + np.float32(_HALF_PIXEL) * conv.weights.sum(axis=(1, 2, 3))
        return self._layers.conv(conv.source, conv.weights, bias, output, **conv.attributes)
