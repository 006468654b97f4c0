"""Reading a tool's file: the specification's form, comments, and mistakes named by step and field."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.tools.seeds import COUNT, LOCATE
from vidence.errors import BadTool
from vidence.tools import parse_tool
from vidence.tools.steps import Branch, Call, Repeat, without_writes


def tool(**changes: Any) -> str:
    base: dict[str, Any] = {
        "tool_name": "look",
        "description": "Look once.",
        "inputs": {"query": "string"},
        "outputs": {"results": "list"},
        "steps": [{"api": "temporal_search", "params": {"query": "{{query}}"}, "save_as": "found"}],
    }
    return json.dumps({**base, **changes})


def test_the_first_example_is_read_as_written() -> None:
    read = parse_tool(LOCATE)
    assert (read.name, list(read.inputs), list(read.outputs)) == (
        "locate_first_appearance",
        ["description"],
        ["start_time", "end_time", "confidence"],
    )
    kinds = [type(step) for step in read.steps]
    assert kinds == [Call, Call, Branch]
    assert [call.api for call in read.calls] == ["temporal_search", "describe_visual", "write_memory"]


def test_a_comment_marks_an_input_as_optional() -> None:
    read = parse_tool(COUNT)
    assert not read.inputs["event_description"].optional
    assert read.inputs["example_segment"].optional
    assert isinstance(read.steps[1], Repeat)


def test_slashes_in_a_text_are_no_comment() -> None:
    assert parse_tool(tool(description="See http://example.org // there")).description.endswith("// there")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "not JSON"),
        ("[]", "must be an object"),
        ('{"tool_name": NaN}', "NaN is not a number"),
        (tool(tool_name="Look!"), "tool_name"),
        (tool(description=" "), "description is missing"),
        (tool(extra=1), "'extra' is not known here"),
        (tool(inputs={"query": "colour"}), "inputs.query is of type 'colour'"),
        (tool(inputs={"item": "string"}), "inputs.item"),
        (tool(outputs={"evidence": "list"}), "outputs.evidence"),
        (tool(steps=[]), "at least one step"),
        (tool(steps=[{"params": {}}]), "step 1: a step has one of api"),
        (tool(steps=[{"api": "x", "aggregate": "count"}]), "this has api and aggregate"),
        (tool(steps=[{"condition": "{{query}}"}]), "step 1: then is missing"),
        (tool(steps=[{"api": "a", "save_as": "no spaces"}]), "step 1, save_as"),
        (tool(steps=[{"for_each": "found", "do": []}]), "there is no step here"),
        (tool(steps=[{"api": "a"}] * 51), "more than 50 steps"),
        ("[" * 300 + "]" * 300, "nested deeper"),
        (tool(description="x" * 70_000), "larger than 64 KiB"),
    ],
)
def test_a_mistake_is_named(text: str, named: str) -> None:
    with pytest.raises(BadTool, match=None) as error:
        parse_tool(text)
    assert named in str(error.value)
    assert "\n" not in str(error.value)


def test_deeply_nested_steps_are_refused() -> None:
    step: dict[str, Any] = {"api": "get_video_info"}
    for _ in range(9):
        step = {"condition": "{{query}}", "then": step}
    with pytest.raises(BadTool, match="nested deeper than 6"):
        parse_tool(tool(steps=[step]))


def test_a_tool_for_questions_writes_nothing() -> None:
    reading = without_writes(parse_tool(LOCATE))
    assert [call.api for call in reading.calls] == ["temporal_search", "describe_visual"]
    assert len(reading.steps) == 2


def test_a_branch_that_only_wrote_keeps_its_other_side() -> None:
    both = {
        "condition": {"exists": "{{query}}"},
        "then": {"api": "write_memory", "params": {"content": "x"}},
        "else": {"api": "get_video_info"},
    }
    (step,) = without_writes(parse_tool(tool(steps=[both]))).steps
    assert isinstance(step, Branch)
    assert step.condition == {"not": {"exists": "{{query}}"}}
    assert [one.api for one in step.then if isinstance(one, Call)] == ["get_video_info"]
