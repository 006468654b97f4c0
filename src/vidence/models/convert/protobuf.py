"""Just enough of the protocol-buffer wire format to read a TensorFlow graph and write an ONNX one."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from vidence.errors import BackendError

__all__ = ["bytes_field", "fields", "float_field", "int_field", "packed_ints"]

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5


def fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield (field number, value) in order; fixed-width values come as their raw bytes."""
    at = 0
    try:
        while at < len(message):
            key, at = _read_varint(message, at)
            number, wire = key >> 3, key & 7
            if wire == _VARINT:
                value, at = _read_varint(message, at)
                yield number, value
                continue
            size = {_FIXED64: 8, _FIXED32: 4}.get(wire)
            if size is None:
                if wire != _LENGTH:
                    raise BackendError(f"Model graph is damaged: wire type {wire} does not exist.")
                size, at = _read_varint(message, at)
            if at + size > len(message):
                raise BackendError("Model graph is damaged: it ends in the middle of a value.")
            yield number, message[at : at + size]
            at += size
    except IndexError as exc:
        raise BackendError("Model graph is damaged: it ends in the middle of a number.") from exc


def int_field(number: int, value: int) -> bytes:
    """Return a varint field; negative numbers take ten bytes, as the format has it."""
    return _varint(number << 3 | _VARINT) + _varint(value & 0xFFFFFFFFFFFFFFFF)


def float_field(number: int, value: float) -> bytes:
    """Return a 32-bit float field."""
    return _varint(number << 3 | _FIXED32) + struct.pack("<f", value)


def bytes_field(number: int, value: bytes | str) -> bytes:
    """Return a string, bytes or nested-message field."""
    raw = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | _LENGTH) + _varint(len(raw)) + raw


def packed_ints(message: memoryview) -> list[int]:
    """Return the numbers of a packed varint field."""
    found, at = [], 0
    while at < len(message):
        value, at = _read_varint(message, at)
        found.append(value)
    return found


def _read_varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
