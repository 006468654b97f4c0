"""Read the weights of ONNX files and write new ones, without the 31 MB of the onnx package."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.models.protobuf import compile_schema
from vidence.schema.perception import FloatArray

__all__ = ["Attribute", "GraphWriter", "read_weights"]

_IR_VERSION = 9
_OPSET = 17
_ELEMENT = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
_ONNX = compile_schema(
    "onnx",
    """
    message Attribute {
        string name = 1; float f = 2; int64 i = 3; bytes s = 4; repeated int64 ints = 8; int32 type = 20;
    }
    message Node {
        repeated string input = 1; repeated string output = 2; string name = 3; string op_type = 4;
        repeated Attribute attribute = 5;
    }
    message Tensor {
        repeated int64 dims = 1; int32 data_type = 2; repeated float float_data = 4; string name = 8;
        bytes raw_data = 9;
    }
    message Dimension { int64 dim_value = 1; string dim_param = 2; }
    message Shape { repeated Dimension dim = 1; }
    message TensorType { int32 elem_type = 1; Shape shape = 2; }
    message Type { TensorType tensor_type = 1; }
    message ValueInfo { string name = 1; Type type = 2; }
    message Graph {
        repeated Node node = 1; string name = 2; repeated Tensor initializer = 5;
        repeated ValueInfo input = 11; repeated ValueInfo output = 12;
    }
    message Opset { string domain = 1; int64 version = 2; }
    message Model {
        int64 ir_version = 1; string producer_name = 2; Graph graph = 7; repeated Opset opset_import = 8;
    }
    """,
)

Attribute = int | float | str | Sequence[int]


def read_weights(source: Path) -> dict[str, FloatArray]:
    """Return the float32 arrays stored in a model, by name."""
    try:
        graph = _ONNX["Model"].FromString(source.read_bytes()).graph
    except OSError as exc:
        raise BackendError(f"Model file {source} cannot be read: {exc.strerror or exc}.") from exc
    except DecodeError as exc:
        raise BackendError(f"Model file {source} is damaged: {exc}.") from exc
    weights: dict[str, FloatArray] = {}
    for tensor in graph.initializer:
        if tensor.data_type != _ELEMENT["float32"]:
            continue
        values = np.frombuffer(tensor.raw_data, "<f4") if tensor.raw_data else np.array(tensor.float_data)
        if values.size != math.prod(tensor.dims):
            raise BackendError(f"Model file {source} is damaged: a weight's size and shape differ.")
        weights[tensor.name] = values.astype(np.float32, copy=False).reshape(tensor.dims)
    return weights


class GraphWriter:
    """Collects nodes and weights in order, then saves them as one model."""

    def __init__(self, name: str) -> None:
        self._model = _ONNX["Model"](ir_version=_IR_VERSION, producer_name="vidence")
        self._model.opset_import.add(domain="", version=_OPSET)
        self._graph = self._model.graph
        self._graph.name = name
        self._count = 0

    def input(self, name: str, shape: Sequence[int | str], *, dtype: str = "float32") -> str:
        """Declare an input; a text in `shape` is a dimension free at run time."""
        self._graph.input.append(_value_info(name, shape, dtype))
        return name

    def output(self, name: str, shape: Sequence[int | str], *, dtype: str = "float32") -> None:
        """Declare that the value called `name` is a result."""
        self._graph.output.append(_value_info(name, shape, dtype))

    def weight(self, values: NDArray[np.float32] | NDArray[np.integer]) -> str:
        """Store an array and return the name to refer to it by."""
        name = self._fresh("w")
        raw = np.ascontiguousarray(values).tobytes()
        kind = _ELEMENT[values.dtype.name]
        self._graph.initializer.add(name=name, dims=values.shape, data_type=kind, raw_data=raw)
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
        node = self._graph.node.add(input=inputs, output=[result, *more], name=f"{op}_{result}", op_type=op)
        for name, value in attributes.items():
            _set(node.attribute.add(name=name), value)
        return result

    def save(self, path: Path) -> None:
        """Write the model to `path`."""
        path.write_bytes(self._model.SerializeToString(deterministic=True))

    def _fresh(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}_{self._count}"


def _value_info(name: str, shape: Sequence[int | str], dtype: str) -> object:
    dims = [{"dim_param": size} if isinstance(size, str) else {"dim_value": size} for size in shape]
    tensor = {"elem_type": _ELEMENT[dtype], "shape": {"dim": dims}}
    return _ONNX["ValueInfo"](name=name, type={"tensor_type": tensor})


def _set(attribute: Any, value: Attribute) -> None:
    """Store a value under the field and the type number ONNX has for its kind."""
    match value:
        case int():
            attribute.i, attribute.type = value, 2
        case float():
            attribute.f, attribute.type = value, 1
        case str():
            attribute.s, attribute.type = value.encode(), 3
        case _:
            attribute.ints[:], attribute.type = value, 7
