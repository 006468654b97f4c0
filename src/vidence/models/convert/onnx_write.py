"""Write an ONNX model file by hand, so that turning weights into a graph needs no extra package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vidence.models.convert.protobuf import bytes_field, float_field, int_field

__all__ = ["GraphWriter"]

_IR_VERSION = 9
_OPSET = 17
_ELEMENT = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}

Attribute = int | float | str | Sequence[int]


class GraphWriter:
    """Collects nodes and weights in order, then saves them as one model."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._nodes: list[bytes] = []
        self._weights: list[bytes] = []
        self._inputs: list[bytes] = []
        self._outputs: list[bytes] = []
        self._count = 0

    def input(self, name: str, shape: Sequence[int | str], *, dtype: str = "float32") -> str:
        """Declare an input; a text in `shape` is a dimension free at run time."""
        self._inputs.append(_value_info(name, shape, dtype))
        return name

    def output(self, name: str, shape: Sequence[int | str], *, dtype: str = "float32") -> None:
        """Declare that the value called `name` is a result."""
        self._outputs.append(_value_info(name, shape, dtype))

    def weight(self, values: NDArray[np.float32] | NDArray[np.integer]) -> str:
        """Store an array and return the name to refer to it by."""
        name = self._fresh("w")
        raw = b"".join(int_field(1, int(size)) for size in values.shape)
        raw += int_field(2, _ELEMENT[values.dtype.name]) + bytes_field(8, name)
        self._weights.append(raw + bytes_field(9, np.ascontiguousarray(values).tobytes()))
        return name

    def node(
        self,
        op: str,
        inputs: Sequence[str],
        *,
        output: str | None = None,
        more: Sequence[str] = (),
        **attributes: Attribute,
    ) -> str:
        """Add one operation and return the name of its result; `more` names its further results."""
        result = output or self._fresh(op.lower())
        raw = b"".join(bytes_field(1, name) for name in inputs)
        raw += b"".join(bytes_field(2, name) for name in (result, *more))
        raw += bytes_field(3, f"{op}_{result}") + bytes_field(4, op)
        raw += b"".join(bytes_field(5, _attribute(name, value)) for name, value in attributes.items())
        self._nodes.append(raw)
        return result

    def save(self, path: Path) -> None:
        """Write the model to `path`."""
        graph = b"".join(bytes_field(1, node) for node in self._nodes) + bytes_field(2, self._name)
        graph += b"".join(bytes_field(5, weight) for weight in self._weights)
        graph += b"".join(bytes_field(11, value) for value in self._inputs)
        graph += b"".join(bytes_field(12, value) for value in self._outputs)
        opset = bytes_field(1, "") + int_field(2, _OPSET)
        model = int_field(1, _IR_VERSION) + bytes_field(2, "vidence")
        path.write_bytes(model + bytes_field(7, graph) + bytes_field(8, opset))

    def _fresh(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}_{self._count}"


def _value_info(name: str, shape: Sequence[int | str], dtype: str) -> bytes:
    dims = b"".join(
        bytes_field(1, bytes_field(2, size) if isinstance(size, str) else int_field(1, size))
        for size in shape
    )
    tensor = int_field(1, _ELEMENT[dtype]) + bytes_field(2, dims)
    return bytes_field(1, name) + bytes_field(2, bytes_field(1, tensor))


def _attribute(name: str, value: Attribute) -> bytes:
    raw = bytes_field(1, name)
    if isinstance(value, int):
        return raw + int_field(3, value) + int_field(20, 2)
    if isinstance(value, float):
        return raw + float_field(2, value) + int_field(20, 1)
    if isinstance(value, str):
        return raw + bytes_field(4, value) + int_field(20, 3)
    return raw + b"".join(int_field(8, item) for item in value) + int_field(20, 7)
