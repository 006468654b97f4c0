"""A tool at work: order, loops, branches, limits, and nothing hidden."""

from __future__ import annotations

import json
from threading import Barrier
from typing import Any

import pytest

from tests.tools.seeds import COUNT, LOCATE, Table
from vidence.errors import BadTool
from vidence.tools import Limits, check_tool, parse_tool, run_plan

HITS = {"query": "cat", "results": [{"start_time": 4.0, "end_time": 9.5, "confidence": 0.9}]}


def run(text: str, inputs: dict[str, Any], table: Table, **limits: Any) -> Any:
    return run_plan(check_tool(parse_tool(text)), inputs, table, limits=Limits(**limits))


def make(steps: list[dict[str, Any]], **outputs: Any) -> str:
    inputs = {"query": "string", "times": {"type": "list", "optional": True}}
    tool = {"tool_name": "t", "description": "d", "inputs": inputs, "outputs": outputs, "steps": steps}
    return json.dumps(tool)


def test_the_first_example_locates_and_writes() -> None:
    table = Table(
        {
            "temporal_search": HITS,
            "describe_visual": {"description": "A brown cat sits.", "confidence": 0.8},
            "write_memory": {"memory_id": "mem_001", "success": True},
        }
    )
    outcome = run(LOCATE, {"description": "cat"}, table)
    assert outcome.outputs == {"start_time": 4.0, "end_time": 9.5, "confidence": 0.9}
    assert [api for api, _ in table.asked] == ["temporal_search", "describe_visual", "write_memory"]
    assert table.asked[2][1]["content"] == "First appearance of cat at 4s"
    assert outcome.evidence == ["rec_temporal_search_1", "rec_describe_visual_2", "rec_write_memory_3"]


def test_a_condition_that_does_not_hold_writes_nothing() -> None:
    table = Table({"temporal_search": HITS, "describe_visual": {"description": "A dog."}})
    outcome = run(LOCATE, {"description": "cat"}, table)
    assert [api for api, _ in table.asked] == ["temporal_search", "describe_visual"]
    assert outcome.outputs["start_time"] == 4.0


def test_nothing_found_is_said_and_not_made_up() -> None:
    outcome = run(LOCATE, {"description": "cat"}, Table({"temporal_search": {"results": []}}))
    assert outcome.outputs == {"start_time": None, "end_time": None, "confidence": None}
    assert outcome.notes == ["step 2 (describe_visual) was left out: candidates[0].start_time is not there."]


def segments(count: int) -> dict[str, Any]:
    return {"similar_segments": [{"start_time": float(n), "end_time": n + 1.0} for n in range(count)]}


def activity(params: Any) -> dict[str, Any]:
    label = "clapping hands" if params["start_time"] % 2 else "walking"
    return {"activities": [{"label": label}], "primary_activity": label}


def test_the_second_example_counts_what_matches() -> None:
    table = Table({"find_similar_segments": segments(5), "recognize_activity": activity})
    example = {"start_time": 1.0, "end_time": 2.0}
    outcome = run(COUNT, {"event_description": "clapping", "example_segment": example}, table)
    assert outcome.outputs["count"] == 2
    assert [one["start_time"] for one in outcome.outputs["occurrences"]] == [1.0, 3.0]
    assert len(outcome.evidence) == 6
    assert table.prepared == [("recognize_activity", 5)]


def test_a_count_of_what_was_never_listed_is_not_zero() -> None:
    outcome = run(COUNT, {"event_description": "clapping"}, Table({"find_similar_segments": "no segment"}))
    assert outcome.outputs == {"count": None, "occurrences": None}
    assert outcome.failed == ["step 1 (find_similar_segments): no segment"]


def test_a_loop_is_cut_and_says_so() -> None:
    table = Table({"find_similar_segments": segments(30), "recognize_activity": activity})
    example = {"start_time": 1.0, "end_time": 2.0}
    given = {"event_description": "clapping", "example_segment": example}
    outcome = run(COUNT, given, table, items=4)
    assert outcome.notes == ["step 2: only 4 of 30 items were looked at."]
    assert len(table.asked) == 5


def test_calls_are_limited() -> None:
    table = Table({"find_similar_segments": segments(9), "recognize_activity": activity})
    given = {"event_description": "x", "example_segment": {"start_time": 1.0, "end_time": 2.0}}
    outcome = run(COUNT, given, table, calls=3)
    assert outcome.notes[-1] == "Stopped after 3 calls."
    assert len(table.asked) == 3


def test_seconds_are_limited() -> None:
    ticks = iter(range(0, 1000, 50))
    plan = check_tool(parse_tool(LOCATE))
    outcome = run_plan(
        plan, {"description": "cat"}, Table({"temporal_search": HITS}), clock=lambda: float(next(ticks)),
        limits=Limits(seconds=75),
    )  # fmt: skip
    assert outcome.notes == ["Stopped after 75 s."]


def test_results_come_in_the_order_of_the_file_however_fast_they_are() -> None:
    steps = [
        {"api": "get_transcript", "save_as": "said"},
        {"api": "detect_audio_events", "save_as": "heard"},
        {"api": "get_video_info", "save_as": "info"},
    ]
    table = Table({"get_transcript": {"a": 1}, "detect_audio_events": {"b": 2}, "get_video_info": {"c": 3}})
    outcome = run(make(steps), {"query": "x"}, table)
    kinds = [record.split("_")[1] for record in outcome.evidence]
    assert kinds == ["get", "detect", "get"]
    assert len(table.asked) == 3


def test_branches_that_need_nothing_from_each_other_run_side_by_side() -> None:
    meeting = Barrier(2, timeout=10)

    def wait(params: Any) -> dict[str, Any]:
        meeting.wait()
        return {"transcript": []}

    steps: list[dict[str, Any]] = [
        {"condition": {"exists": "{{query}}"}, "then": {"api": api, "save_as": api}}
        for api in ("get_transcript", "detect_audio_events")
    ]
    outcome = run(
        make(steps), {"query": "x"}, Table(dict.fromkeys(("get_transcript", "detect_audio_events"), wait))
    )
    assert len(outcome.evidence) == 2


def test_a_name_that_is_saved_again_keeps_its_new_value_beside_other_steps() -> None:
    steps: list[dict[str, Any]] = [
        {"api": "temporal_search", "params": {"query": "{{query}}"}, "save_as": "found"},
        {"api": "temporal_search", "params": {"query": "cat"}, "save_as": "found"},
        {"api": "get_video_info", "save_as": "info"},
    ]

    def search(params: Any) -> dict[str, Any]:
        return {"query": params["query"], "results": []}

    table = Table({"temporal_search": search, "get_video_info": {"duration": 1.0}})
    told = make(steps, said={"type": "string", "from": "{{found.query}}"})
    assert run(told, {"query": "dog"}, table).outputs == {"said": "cat"}


def test_a_list_that_is_given_is_not_cut() -> None:
    step: dict[str, Any] = {
        "api": "get_scene_attributes",
        "params": {"timestamp": "{{item}}"},
        "save_as": "scene_{{index}}",
    }
    table = Table({"get_scene_attributes": {"attributes": {}}})
    given = {"query": "x", "times": [float(n) for n in range(30)]}
    outcome = run(make([{"for_each": "times", "do": step}]), given, table, items=4)
    assert (len(table.asked), outcome.notes) == (30, [])


def test_parameters_of_an_optional_input_are_left_out() -> None:
    steps = [
        {"api": "temporal_search", "params": {"query": "{{query}}", "top_k": "{{k}}"}, "save_as": "found"}
    ]
    tool = json.loads(make(steps))
    tool["inputs"]["k"] = {"type": "int", "optional": True}
    table = Table({"temporal_search": HITS})
    run(json.dumps(tool), {"query": "cat"}, table)
    assert table.asked == [("temporal_search", {"query": "cat"})]


def test_a_shifted_time_stays_inside_the_video() -> None:
    steps: list[dict[str, Any]] = [
        {"api": "temporal_search", "params": {"query": "{{query}}"}, "save_as": "found"},
        {"api": "detect_objects", "params": {"timestamp": "{{found[0].start_time - 10}}"}},
    ]
    table = Table({"temporal_search": HITS, "detect_objects": {"objects": []}})
    run(make(steps), {"query": "cat"}, table)
    assert table.asked[1] == ("detect_objects", {"timestamp": 0.0})


@pytest.mark.parametrize(
    ("stages", "expected"),
    [
        ([{"op": "max", "by": "confidence"}], {"start_time": 5.0, "confidence": 0.9}),
        ([{"op": "min", "by": "start_time"}], {"start_time": 1.0, "confidence": 0.2}),
        ([{"op": "sort", "by": "start_time"}, {"op": "last"}], {"start_time": 5.0, "confidence": 0.9}),
        ([{"op": "sum", "by": "confidence"}], 1.6),
        ([{"op": "mean", "by": "start_time"}], 3.0),
        ([{"op": "filter", "where": "{{item.confidence}} >= 0.5"}, {"op": "count"}], 2),
        ([{"op": "any", "where": "{{item.confidence}} > 0.95"}], False),
        ([{"op": "all", "where": "{{item.confidence}} > 0.1"}], True),
        ([{"op": "first"}, {"op": "count"}], {"start_time": 3.0, "confidence": 0.5}),
    ],
)
def test_aggregates(stages: list[dict[str, Any]], expected: Any) -> None:
    rows = [(3.0, 0.5), (1.0, 0.2), (5.0, 0.9)]
    found = {"results": [{"start_time": start, "confidence": sure} for start, sure in rows]}
    steps: list[dict[str, Any]] = [
        {"api": "temporal_search", "params": {"query": "{{query}}"}, "save_as": "found"},
        {"aggregate": stages, "of": "found", "save_as": "value"},
    ]
    outcome = run(make(steps, value="any"), {"query": "cat"}, Table({"temporal_search": found}))
    assert outcome.outputs["value"] == pytest.approx(expected)


def test_groups_and_unique_items() -> None:
    found = {"objects": [{"category": "dog"}, {"category": "cat"}, {"category": "dog"}]}
    for stage, expected in (("group", {"dog": 2, "cat": 1}), ("unique", 2)):
        steps: list[dict[str, Any]] = [
            {"api": "detect_objects", "params": {"timestamp": 1}, "save_as": "seen"},
            {"aggregate": [{"op": stage, "by": "category"}], "of": "seen", "save_as": "value"},
        ]
        outcome = run(make(steps, value="any"), {"query": "x"}, Table({"detect_objects": found}))
        value = outcome.outputs["value"]
        assert (
            {key: len(rows) for key, rows in value.items()} if stage == "group" else len(value)
        ) == expected


def looked_at(table: Table) -> list[float]:
    return sorted(params["timestamp"] for api, params in table.asked if api == "detect_objects")


def look_loop(**more: Any) -> dict[str, Any]:
    call = {"api": "detect_objects", "params": {"timestamp": "{{item}}"}, "save_as": "seen_{{index}}"}
    return {"for_each": "times", **more, "do": call}


def test_a_loop_may_look_at_one_item_in_three() -> None:
    table = Table({"detect_objects": {"objects": []}})
    run(make([look_loop(every=3)]), {"query": "", "times": [float(n) for n in range(8)]}, table)
    assert looked_at(table) == [0.0, 3.0, 6.0]


@pytest.mark.parametrize("every", [0, 5, True, "2", 1.5])
def test_how_thinly_a_loop_looks_is_checked(every: Any) -> None:
    with pytest.raises(BadTool, match="step 1, every"):
        parse_tool(make([look_loop(every=every)]))


def seen_from(time_s: float) -> Any:
    return lambda params: (
        {"timestamp": params["timestamp"], "objects": [], "note": None}
        | ({"objects": [{"category": "cat"}]} if params["timestamp"] >= time_s else {})
    )


WITH_CAT = {"op": "filter", "where": {"exists": "{{item.objects}}"}}


@pytest.mark.parametrize(
    ("stages", "outputs", "looks"),
    [
        ([WITH_CAT, {"op": "first"}], {"when": {"type": "float", "from": "{{hit.timestamp}}"}}, 8),
        ([WITH_CAT, {"op": "last"}], {"when": {"type": "float", "from": "{{hit.timestamp}}"}}, 20),
        ([WITH_CAT, {"op": "first"}], {"seen": "list"}, 20),
        ([WITH_CAT, {"op": "first"}], {"when": {"type": "float", "from": "{{seen[19].timestamp}}"}}, 20),
    ],
    ids=["decided", "the last counts", "all are wanted", "one is read"],
)
def test_a_loop_stops_when_what_it_is_for_is_decided(
    stages: list[dict[str, Any]], outputs: dict[str, Any], looks: int
) -> None:
    table = Table({"detect_objects": seen_from(5.0)})
    steps = [look_loop(), {"aggregate": stages, "of": "seen", "save_as": "hit"}]
    outcome = run(make(steps, **outputs), {"query": "", "times": [float(n) for n in range(20)]}, table)
    assert len(looked_at(table)) == looks
    assert outcome.notes == (["step 1: 8 of 20 items told enough."] if looks == 8 else [])
    if "when" in outcome.outputs and looks == 8:
        assert outcome.outputs["when"] == 5.0
