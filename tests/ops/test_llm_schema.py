"""The schemas an LLM is shown are complete and in the form its server takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.ops.toy import make_toy
from vidence.ops import Operation, all_operations, gemini_schema, openai_schema

EVERY = [make_toy()[0], *all_operations()]
GEMINI_TYPES = {"string", "number", "integer", "boolean", "array", "object"}


def _nodes(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
        for value in node.values():
            yield from _nodes(value)
    elif isinstance(node, list):
        for value in node:
            yield from _nodes(value)


@pytest.mark.parametrize("operation", EVERY, ids=lambda o: o.name)
def test_openai_form_stands_alone(operation: Operation[Any, Any]) -> None:
    tool = openai_schema(operation)
    assert tool["type"] == "function"
    assert tool["function"]["name"] == operation.name
    parameters = tool["function"]["parameters"]
    assert parameters["type"] == "object"
    assert parameters["additionalProperties"] is False
    assert "video_id" in parameters["required"]
    assert "$ref" not in json.dumps(tool)
    assert "$defs" not in json.dumps(tool)


@pytest.mark.parametrize("operation", EVERY, ids=lambda o: o.name)
def test_gemini_form_uses_only_what_gemini_admits(operation: Operation[Any, Any]) -> None:
    declaration = gemini_schema(operation)
    text = json.dumps(declaration)
    for word in ("$ref", "additionalProperties", '"null"', "exclusiveMinimum", '"default"', '"const"'):
        assert word not in text
    kinds = [node["type"] for node in _nodes(declaration["parameters"]) if isinstance(node.get("type"), str)]
    assert kinds
    assert set(kinds) <= GEMINI_TYPES


def test_an_optional_object_becomes_nullable_with_its_fields() -> None:
    span = gemini_schema(EVERY[0])["parameters"]["properties"]["time_range"]
    assert span["nullable"] is True
    assert set(span["properties"]) == {"start_time", "end_time"}


def test_choices_and_bounds_reach_the_schema() -> None:
    properties = openai_schema(EVERY[0])["function"]["parameters"]["properties"]
    assert properties["mode"]["enum"] == ["slow", "fast"]
    assert (properties["top_k"]["minimum"], properties["top_k"]["maximum"]) == (1, 100)
    assert properties["mode"]["default"] == "slow"
