"""Types are checked before anything runs: templates against the schemas of the operations."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.tools.seeds import COUNT, LOCATE
from vidence.errors import BadTool
from vidence.tools import check_tool, parse_tool
from vidence.tools.library import ToolLibrary
from vidence.tools.words import Compares, Contains, Not, Reduction


def checked(steps: list[dict[str, Any]], **changes: Any) -> Any:
    base = {
        "tool_name": "look",
        "description": "Look.",
        "inputs": {"query": "string", "times": {"type": "list", "optional": True}},
        "outputs": {},
        "steps": steps,
    }
    return check_tool(parse_tool(json.dumps({**base, **changes})))


SEARCH = {"api": "temporal_search", "params": {"query": "{{query}}"}, "save_as": "found"}


@pytest.mark.parametrize("text", [LOCATE, COUNT])
def test_the_examples_of_the_specification_hold(text: str) -> None:
    assert check_tool(parse_tool(text)).tool.name


def test_every_built_in_tool_holds() -> None:
    entries = list(ToolLibrary(None))
    assert len(entries) == 7
    for entry in entries:
        check_tool(entry.parsed())


def test_words_of_the_specification_become_stages() -> None:
    plan = check_tool(parse_tool(COUNT))
    ((stages, of),) = plan.aggregates.values()
    assert [stage.op for stage in stages] == ["filter", "count"]
    assert stages[0] == Reduction("filter", matches=["{{event_description}}"])
    assert of == "activity"


def test_a_condition_in_words_is_read() -> None:
    plan = check_tool(parse_tool(LOCATE))
    assert list(plan.conditions.values()) == [
        Contains(whole="{{verification.description}}", part="{{description}}")
    ]


@pytest.mark.parametrize(
    ("condition", "read"),
    [
        ("{{found.query}} == 'cat'", Compares("{{found.query}}", "==", "cat")),
        ("{{found[0].confidence}} >= 0.5", Compares("{{found[0].confidence}}", ">=", 0.5)),
        ("cat not in {{found.query}}", Not(Contains("{{found.query}}", "cat"))),
    ],
)
def test_comparisons_in_words_are_read(condition: str, read: object) -> None:
    plan = checked([SEARCH, {"condition": condition, "then": {"api": "get_video_info"}}])
    assert plan.conditions["step 2"] == read


@pytest.mark.parametrize(
    ("step", "named"),
    [
        ({"api": "temporal_serch"}, "Did you mean 'temporal_search'"),
        ({"api": "temporal_search"}, "step 2, params: temporal_search needs query"),
        ({"api": "temporal_search", "params": {"querry": "x"}}, "has no such parameter"),
        (
            {"api": "temporal_search", "params": {"query": "x", "top_k": "many"}},
            "string cannot stand for integer",
        ),
        ({"api": "temporal_search", "params": {"query": "x", "modality": "smell"}}, "'smell' is none of"),
        (
            {"api": "temporal_search", "params": {"query": "{{nothing}}"}},
            "'nothing' is not known at this step",
        ),
        ({"api": "temporal_search", "params": {"query": "{{found"}}, "a template is not closed"),
        ({"api": "temporal_search", "params": {"query": "{{found[0].start}}"}}, "'start' is none of"),
        ({"api": "detect_objects", "params": {"timestamp": "{{found}}"}}, "object cannot stand for"),
        ({"api": "detect_objects", "params": {"timestamp": "{{query - 1}}"}}, "is not a number"),
        ({"api": "track_entity", "params": {"entity_id": "e", "time_range": {"at": 1}}}, "no such field"),
        ({"for_each": "query", "do": {"api": "get_video_info"}}, "this is no list"),
        ({"condition": "{{found}} is nice", "then": {"api": "get_video_info"}}, "cannot be read"),
        ({"condition": "{{query}} > 3", "then": {"api": "get_video_info"}}, "only numbers compare"),
        ({"condition": {"maybe": 1}, "then": {"api": "get_video_info"}}, "'maybe' cannot be read"),
        ({"aggregate": "compute the eigenvalues"}, "'compute' is not understood"),
        ({"aggregate": "sum of results"}, "sum of which field"),
        ({"aggregate": [{"op": "filter"}]}, "filter needs where"),
        ({"aggregate": [{"op": "explode"}]}, "is not understood in an aggregate"),
        ({"aggregate": [{"op": "max", "by": "beauty"}], "of": "found"}, "'beauty' is none of"),
    ],
)
def test_a_mistake_is_found_before_anything_runs(step: dict[str, Any], named: str) -> None:
    with pytest.raises(BadTool) as error:
        checked([SEARCH, step])
    assert named in str(error.value)
    assert "step 2" in str(error.value)


def test_an_output_that_no_step_makes_is_refused() -> None:
    with pytest.raises(BadTool, match=r"outputs\.colour: no step saves 'colour'"):
        checked([SEARCH], outputs={"colour": "string"})


def test_an_output_of_another_type_is_refused() -> None:
    with pytest.raises(BadTool, match=r"outputs\.when"):
        checked([SEARCH], outputs={"when": {"type": "string", "from": "{{found[0].start_time}}"}})


@pytest.mark.parametrize("words", ["筛选并统计匹配的结果", "filter and count matching results", "count"])
def test_aggregates_are_read_in_both_languages(words: str) -> None:
    plan = checked([SEARCH, {"aggregate": words, "of": "found", "save_as": "n"}], outputs={"n": "int"})
    ((stages, of),) = plan.aggregates.values()
    assert of == "found"
    assert stages[-1].op == "count"
