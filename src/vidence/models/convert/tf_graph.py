"""Read a frozen TensorFlow graph without TensorFlow: its operations, in order, and its float constants."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.models.convert.protobuf import fields, packed_ints

__all__ = ["Node", "read_nodes"]

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Node:
    """One operation of a TensorFlow graph; a constant carries its values."""

    op: str
    inputs: tuple[str, ...]
    strides: tuple[int, ...] = ()
    constant: Floats | None = None


def read_nodes(source: Path) -> dict[str, Node]:
    """Return the operations of a frozen graph by name."""
    nodes: dict[str, Node] = {}
    for number, value in fields(memoryview(source.read_bytes())):
        if number == 1 and isinstance(value, memoryview):
            name, node = _read_node(value)
            nodes[name] = node
    return nodes


def _read_node(raw: memoryview) -> tuple[str, Node]:
    name = op = ""
    inputs: list[str] = []
    strides: tuple[int, ...] = ()
    constant: Floats | None = None
    for number, value in fields(raw):
        if not isinstance(value, memoryview):
            continue
        match number:
            case 1:
                name = bytes(value).decode()
            case 2:
                op = bytes(value).decode()
            case 3:
                inputs.append(bytes(value).decode().removesuffix(":0"))
            case 5:
                key, attribute = (v for _, v in fields(value))
                if bytes(_view(key)) == b"strides":
                    strides = _read_ints(_view(attribute))
                elif bytes(_view(key)) == b"value":
                    constant = _read_tensor(_view(attribute))
    return name, Node(op, tuple(inputs), strides, constant)


def _read_ints(attribute: memoryview) -> tuple[int, ...]:
    listed = next(_view(v) for n, v in fields(attribute) if n == 1)
    return tuple(item for n, v in fields(listed) if n == 3 for item in packed_ints(_view(v)))


def _read_tensor(attribute: memoryview) -> Floats | None:
    """Return a float tensor; the graph's integers only steer post-processing and are skipped."""
    tensor = next(_view(v) for n, v in fields(attribute) if n == 8)
    parts = dict(fields(tensor))
    if parts.get(1) != 1:
        return None
    dims = [
        next((int(v) for n, v in fields(_view(d)) if n == 1 and isinstance(v, int)), 0)
        for n, d in fields(_view(parts[2]))
        if n == 2
    ]
    raw = parts.get(4, parts.get(5))
    values = np.frombuffer(_view(raw), "<f4") if raw is not None else np.zeros(1, np.float32)
    return values.reshape(dims) if values.size == int(np.prod(dims)) else np.full(dims, values[0], np.float32)


def _view(value: int | memoryview | None) -> memoryview:
    if not isinstance(value, memoryview):
        raise BackendError("The TensorFlow graph is damaged: a number stands where text or a message should.")
    return value
