"""Read the weights of an ONNX model without running it or any extra package."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from vidence.errors import BackendError
from vidence.models.convert.protobuf import fields, packed_ints
from vidence.schema.perception import FloatArray

__all__ = ["read_weights"]

_GRAPH, _INITIALIZER = 7, 5
_DIMS, _TYPE, _FLOATS, _NAME, _RAW = 1, 2, 4, 8, 9
_FLOAT32 = 1


def read_weights(source: Path) -> dict[str, FloatArray]:
    """Return the float32 arrays stored in a model, by name."""
    try:
        data = memoryview(source.read_bytes())
    except OSError as exc:
        raise BackendError(f"Model file {source} cannot be read: {exc.strerror or exc}.") from exc
    return {
        name: values
        for graph in _nested(data, _GRAPH)
        for tensor in _nested(graph, _INITIALIZER)
        for name, values in _read_tensor(tensor)
    }


def _nested(message: memoryview, wanted: int) -> list[memoryview]:
    return [value for number, value in fields(message) if number == wanted and isinstance(value, memoryview)]


def _read_tensor(tensor: memoryview) -> list[tuple[str, FloatArray]]:
    dims: list[int] = []
    parts: dict[int, int | memoryview] = {}
    for number, value in fields(tensor):
        if number == _DIMS:
            dims += [value] if isinstance(value, int) else packed_ints(value)
        else:
            parts[number] = value
    name, raw = parts.get(_NAME), parts.get(_RAW, parts.get(_FLOATS))
    if parts.get(_TYPE) != _FLOAT32 or not isinstance(name, memoryview) or not isinstance(raw, memoryview):
        return []
    values = np.frombuffer(raw, "<f4")
    if values.size != math.prod(dims):
        raise BackendError("Model graph is damaged: a weight's size and shape differ.")
    return [(bytes(name).decode(), values.reshape(dims))]
