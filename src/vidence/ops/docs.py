"""Docs pages of operations, written from their definitions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import BaseModel

from vidence.ops.llm_schema import parameters_schema
from vidence.ops.operation import Operation, Request

__all__ = ["index_page", "operation_page"]


def operation_page(operation: Operation[Any, Any]) -> str:
    """Return the Markdown page of one operation."""
    is_topic = not issubclass(operation.request, Request)
    options = "".join(f" --{key.replace('_', '-')} {value}" for key, value in operation.example.items())
    command = f"vidence op {operation.name} my.mp4{options} --json"
    if is_topic:
        command = f"vidence monitor tool {operation.name} --params '{json.dumps(operation.example)}'"
    call = dict(operation.example) if is_topic else {"video_id": "vid_…", **operation.example}
    parts = [
        f"# {operation.name}",
        operation.purpose,
        operation.notes,
        "## Parameters",
        _table(("name", "type", "default", "meaning"), _parameters(operation)),
        "## Result",
        _table(("field", "type", "meaning"), _fields(operation.result)),
        "## Example",
        f"```console\n$ {command}\n```",
        _python_example(operation.name, call),
        "## Provenance",
        _provenance(operation),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def index_page(operations: Iterable[Operation[Any, Any]]) -> str:
    """Return the Markdown page that lists every operation."""
    rows = [(f"[{o.name}]({o.name}.md)", o.category, o.purpose) for o in operations]
    head = "# Operations\n\nGenerated from the definitions in `src/vidence/ops/` by `make docs`.\n\n"
    return head + _table(("operation", "category", "purpose"), rows) + "\n"


def _python_example(name: str, call: dict[str, Any]) -> str:
    return f"```python\nwith open_workspace() as workspace:\n    workspace.run({name!r}, {call!r})\n```"


def _parameters(operation: Operation[Any, Any]) -> Iterator[tuple[str, ...]]:
    schema = parameters_schema(operation)
    for name, prop in schema["properties"].items():
        required = name in schema.get("required", [])
        default = "required" if required else f"`{json.dumps(prop.get('default'))}`"
        yield f"`{name}`", _type(prop), default, str(prop.get("description", ""))


def _fields(model: type[BaseModel]) -> Iterator[tuple[str, ...]]:
    schema = model.model_json_schema(mode="serialization")
    yield from _walk(schema, schema.get("$defs", {}), "")


def _walk(node: dict[str, Any], definitions: dict[str, Any], prefix: str) -> Iterator[tuple[str, ...]]:
    for name, prop in node.get("properties", {}).items():
        inner, suffix = _target(prop, definitions)
        yield f"`{prefix}{name}`", _type(prop), str(prop.get("description", inner.get("description", "")))
        if "properties" in inner:
            yield from _walk(inner, definitions, f"{prefix}{name}{suffix}.")


def _target(prop: dict[str, Any], definitions: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Follow a property to the object it holds, through lists and options."""
    if "$ref" in prop:
        return definitions[prop["$ref"].rsplit("/", 1)[-1]], ""
    if prop.get("type") == "array":
        return _target(prop.get("items", {}), definitions)[0], "[]"
    for choice in prop.get("anyOf", []):
        if choice.get("type") != "null":
            return _target(choice, definitions)
    return prop, ""


def _type(prop: dict[str, Any]) -> str:
    if "enum" in prop:
        return " \\| ".join(f"`{value}`" for value in prop["enum"])
    if "const" in prop:
        return f"`{prop['const']}`"
    if "anyOf" in prop:
        return " \\| ".join(_type(choice) for choice in prop["anyOf"])
    if prop.get("type") == "array":
        return f"list of {_type(prop.get('items', {}))}"
    return "object" if "$ref" in prop else str(prop.get("type", "any"))


def _provenance(operation: Operation[Any, Any]) -> str:
    reads = ", ".join(f"`{stage}`" for stage in operation.stages)
    cache = (
        "It changes the workspace, so it is never served from the cache."
        if operation.stateful
        else "The same arguments over the same index are served from the cache."
    )
    stages = f"Reads the index stages {reads}. " if reads else ""
    return (
        "Every call writes a record: operation, arguments, video, span, models, index version, duration "
        f"and the hash of its result. {stages}{cache}"
    )


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
