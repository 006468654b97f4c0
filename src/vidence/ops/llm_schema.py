"""Function-calling schemas of an operation, in the forms OpenAI-compatible servers and Gemini take."""

from __future__ import annotations

from typing import Any, Literal, Protocol

from pydantic import BaseModel

__all__ = ["gemini_schema", "inlined_schema", "openai_schema", "parameters_schema"]

# The subset of OpenAPI that Gemini's function declarations admit.
_GEMINI_KEYS = {
    "type", "format", "description", "nullable", "enum", "items", "properties", "required",
    "minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "anyOf",
}  # fmt: skip


class Described(Protocol):
    """Anything a model may call: an operation or a tool."""

    @property
    def name(self) -> str: ...
    @property
    def purpose(self) -> str: ...
    @property
    def request(self) -> type[BaseModel]: ...


def parameters_schema(operation: Described) -> dict[str, Any]:
    """Return the request's JSON Schema with every reference written out and no titles."""
    return inlined_schema(operation.request)


def inlined_schema(
    model: type[BaseModel], *, mode: Literal["validation", "serialization"] = "validation"
) -> dict[str, Any]:
    """Return a model's JSON Schema with every reference written out and no titles."""
    schema = model.model_json_schema(mode=mode)
    definitions = schema.pop("$defs", {})
    resolved: dict[str, Any] = _inline(schema, definitions)
    resolved.pop("description", None)
    return resolved


def openai_schema(operation: Described) -> dict[str, Any]:
    """Return the tool definition for OpenAI-compatible chat completions."""
    return {
        "type": "function",
        "function": {
            "name": operation.name,
            "description": operation.purpose,
            "parameters": parameters_schema(operation),
        },
    }


def gemini_schema(operation: Described) -> dict[str, Any]:
    """Return the function declaration for Gemini."""
    return {
        "name": operation.name,
        "description": operation.purpose,
        "parameters": _gemini(parameters_schema(operation)),
    }


def _inline(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_inline(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = definitions[str(node["$ref"]).rsplit("/", 1)[-1]]
        node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
    # A property may itself be called "title", so only the keyword is dropped.
    return {
        key: {name: _inline(value, definitions) for name, value in item.items()}
        if key == "properties"
        else _inline(item, definitions)
        for key, item in node.items()
        if key != "title"
    }


def _gemini(node: dict[str, Any]) -> dict[str, Any]:
    choices = [choice for choice in node.get("anyOf", []) if choice.get("type") != "null"]
    if choices and len(choices) < len(node["anyOf"]):
        node = {**node, "nullable": True, "anyOf": choices}
    if len(choices) == 1:
        node = {**choices[0], **{key: value for key, value in node.items() if key != "anyOf"}}
    if "const" in node:
        node = {**node, "enum": [node["const"]]}
    if "exclusiveMinimum" in node:
        node = {**node, "minimum": node["exclusiveMinimum"]}
    kept = {key: value for key, value in node.items() if key in _GEMINI_KEYS}
    if "properties" in kept:
        kept["properties"] = {name: _gemini(value) for name, value in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = _gemini(kept["items"])
    if "anyOf" in kept:
        kept["anyOf"] = [_gemini(choice) for choice in kept["anyOf"]]
    return kept
