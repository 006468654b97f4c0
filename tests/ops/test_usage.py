"""The short form of an operation keeps every argument with its type, and is far shorter than its schema."""

from __future__ import annotations

import json
from typing import Any

import pytest

from vidence.ops import Operation, all_operations, openai_schema
from vidence.ops.usage import usage_line, usage_text


@pytest.mark.parametrize("operation", all_operations(), ids=lambda one: one.name)
def test_every_argument_is_named_and_explained(operation: Operation[Any, Any]) -> None:
    arguments = [name for name in operation.request.model_fields if name != "video_id"]
    line, text = usage_line(operation), usage_text(operation)
    assert line.startswith(f"{operation.name}(")
    assert line.endswith(operation.purpose)
    assert "\n" not in line
    for name in arguments:
        mark = "" if operation.request.model_fields[name].is_required() else "?"
        assert f"{name}{mark}: " in line
        assert f"\n    {name}: " in text
    assert 2 * len(line) < len(json.dumps(openai_schema(operation)))


def test_types_choices_defaults_and_limits_are_told() -> None:
    by_name = {one.name: one for one in all_operations()}
    search = usage_text(by_name["temporal_search"])
    assert 'modality?: "visual" | "audio" | "multimodal" = "visual"' in search
    assert "time_range?: {start_time: number, end_time: number}" in search
    assert "top_k: At most this many results. (≥ 1, ≤ 1000)" in search
    assert "event_types?: string[]" in usage_line(by_name["detect_audio_events"])
