"""An operation in the words that a language model needs to call it: far shorter than a JSON Schema."""

from __future__ import annotations

import json
from typing import Any

from vidence.ops.llm_schema import Described, parameters_schema

__all__ = ["usage_line", "usage_text"]

_SUPPLIED = "video_id"
"""Every operation has it, so it is explained once for all of them."""
_LIMITS = (("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"), ("exclusiveMaximum", "<"))


def usage_line(operation: Described) -> str:
    """Return one line: `name(argument: type, optional?: type = default) — purpose`."""
    schema = parameters_schema(operation)
    required = schema.get("required", ())
    named = [
        f"{name}{'' if name in required else '?'}: {_type(one)}{_default(one)}"
        for name, one in _arguments(schema).items()
    ]
    return f"{operation.name}({', '.join(named)}) — {operation.purpose}"


def usage_text(operation: Described) -> str:
    """Return the line, and below it what each argument means."""
    lines = [usage_line(operation)]
    for name, one in _arguments(parameters_schema(operation)).items():
        told = " ".join(part for part in (one.get("description", ""), _limits(one)) if part)
        if told:
            lines.append(f"    {name}: {told}")
    return "\n".join(lines)


def _arguments(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {name: one for name, one in schema.get("properties", {}).items() if name != _SUPPLIED}


def _type(node: dict[str, Any]) -> str:
    if choices := _choices(node):
        return " | ".join(dict.fromkeys(_type(one) for one in choices))
    if "const" in node:
        return _json(node["const"])
    if "enum" in node:
        return " | ".join(_json(one) for one in node["enum"])
    if node.get("type") == "array":
        inner = _type(node.get("items", {}))
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if node.get("properties"):
        required = node.get("required", ())
        inner = node["properties"].items()
        fields = [f"{name}{'' if name in required else '?'}: {_type(one)}" for name, one in inner]
        return f"{{{', '.join(fields)}}}"
    return str(node.get("type", "any"))


def _choices(node: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the types that a value may have; an argument that may be null is written as optional."""
    return [one for one in node.get("anyOf", ()) if one.get("type") != "null"]


def _default(node: dict[str, Any]) -> str:
    return f" = {_json(node['default'])}" if node.get("default") is not None else ""


def _limits(node: dict[str, Any]) -> str:
    inner = [node, *_choices(node)]
    told = [f"{sign} {one[key]:g}" for one in inner for key, sign in _LIMITS if key in one]
    return f"({', '.join(told)})" if told else ""


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
