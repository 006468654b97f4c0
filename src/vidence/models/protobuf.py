"""Read and write protocol-buffer files by the few fields of a format that are needed.

The schemas use the notation of `.proto` files. The protobuf runtime comes with the model runtimes anyway.
"""

from __future__ import annotations

import re
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory  # type: ignore[import-untyped]

__all__ = ["compile_schema"]

_MESSAGE = re.compile(r"message (\w+) \{([^}]*)\}")
_FIELD = re.compile(r"(repeated )?(\w+) (\w+) = (\d+);")
_KINDS = descriptor_pb2.FieldDescriptorProto.Type
_SCALARS = frozenset({"bytes", "float", "int32", "int64", "string"})
_LABELS = descriptor_pb2.FieldDescriptorProto.Label


def compile_schema(package: str, text: str) -> dict[str, Any]:
    """Return the message classes of a schema by name; fields it leaves out are skipped on reading."""
    file = descriptor_pb2.FileDescriptorProto(name=f"{package}.proto", package=package)
    for name, body in _MESSAGE.findall(text):
        message = file.message_type.add(name=name)
        for repeated, kind, field, number in _FIELD.findall(body):
            row = message.field.add(name=field, number=int(number))
            row.label = _LABELS.LABEL_REPEATED if repeated else _LABELS.LABEL_OPTIONAL
            if kind in _SCALARS:
                row.type = _KINDS.Value(f"TYPE_{kind.upper()}")
            else:
                row.type, row.type_name = _KINDS.Value("TYPE_MESSAGE"), f".{package}.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}"))
        for name, _ in _MESSAGE.findall(text)
    }
