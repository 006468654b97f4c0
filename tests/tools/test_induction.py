"""Recurring calls become tools, and planned calls are written through them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from vidence.tools import as_operation, check_tool
from vidence.tools.induction import Episode, PastCall, condense, expand, find_tools, fit, is_thinned, units_of
from vidence.tools.induction.flow import find_chains
from vidence.tools.induction.mine import Costs, mine


def detect(*times: float, query: str = "dog") -> list[PastCall]:
    return [PastCall("detect_objects", {"video_id": "v", "timestamp": t, "query": query}) for t in times]


def episode(question: str, source: str, *calls: PastCall) -> Episode:
    return Episode(question, source, (tuple(calls),))


SEARCH = PastCall("temporal_search", {"video_id": "v", "query": "dog", "top_k": 5})
EPISODES = [
    episode("Is there a dog?", "vid_1", SEARCH, *detect(1.0, 2.0, 3.0)),
    episode(
        "Is there a cat?",
        "vid_2",
        PastCall("temporal_search", {"query": "cat", "top_k": 5}),
        *detect(4.0, 8.0, query="cat"),
    ),
    episode(
        "Where is the cup?",
        "vid_3",
        PastCall("temporal_search", {"query": "cup", "top_k": 5}),
        *detect(6.0, 9.0, query="cup"),
    ),
]


def test_calls_that_differ_in_one_argument_are_a_loop() -> None:
    search, loop = units_of([SEARCH, *detect(1.0, 2.0)])
    assert (search.varying, loop.varying, loop.values) == ("", "timestamp", (1.0, 2.0))
    assert loop.arguments == {"query": "dog"}
    assert [call.arguments["timestamp"] for call in loop.made] == [1.0, 2.0]


def test_where_order_matters_only_neighbours_are_joined() -> None:
    calls = [PastCall("cd", {"folder": "a"}), PastCall("ls", {}), PastCall("cd", {"folder": "b"})]
    assert [unit.api for unit in units_of(calls)] == ["cd", "ls"]
    assert [unit.api for unit in units_of(calls, ordered=True)] == ["cd", "ls", "cd"]


def test_a_recurring_sequence_becomes_a_checked_tool() -> None:
    found = find_tools(EPISODES)
    assert found
    best = found[0]
    check_tool(best.tool)
    assert set(best.sources) == {"vid_1", "vid_2", "vid_3"}
    assert best.calls_saved == 7
    assert best.tool.inputs["query"].type == "string"
    # The query of the search and of the detection always agree, so they are one input; top_k never varies.
    assert sorted(best.tool.inputs) == ["query", "timestamps"]
    assert best.tool.calls[0].params["top_k"] == 5


def test_planned_calls_are_written_as_one_call_and_read_back() -> None:
    tool = find_tools(EPISODES)[0].tool
    planned = [
        PastCall("temporal_search", {"query": "bird", "top_k": 5}),
        *detect(1.5, 2.5, 3.5, query="bird"),
    ]
    (call,) = condense(planned, [tool])
    assert (call.api, call.stands_for) == (tool.name, 4)
    assert call.arguments == {"query": "bird", "timestamps": [1.5, 2.5, 3.5]}
    made = [(one.api, dict(one.arguments)) for one in expand(tool, call.arguments)]
    assert made == [(one.api, {k: v for k, v in one.arguments.items() if k != "video_id"}) for one in planned]


def test_a_call_that_differs_from_a_constant_is_left_alone() -> None:
    tool = find_tools(EPISODES)[0].tool
    planned = [PastCall("temporal_search", {"query": "bird", "top_k": 9}), *detect(1.5)]
    assert [one.api for one in condense(planned, [tool])] == ["temporal_search", "detect_objects"]


def test_one_video_is_not_enough() -> None:
    same = [Episode(one.question, "vid_1", one.batches) for one in EPISODES]
    assert find_tools(same) == []


def test_one_question_is_not_enough() -> None:
    same = [Episode("Is there a dog?", one.source, one.batches) for one in EPISODES]
    assert find_tools(same) == []


def test_calls_without_a_pattern_give_no_tool() -> None:
    random = [
        episode(f"q{n}", f"vid_{n}", PastCall(f"op_{n}", {"x": n}), PastCall(f"op_{n + 50}", {"y": n}))
        for n in range(20)
    ]
    assert find_tools(random) == []


def test_a_long_schema_must_pay_for_itself() -> None:
    sequences = [("a", "b", "c"), ("a", "b", "c"), ("d", "e")]
    assert mine(sequences, max_tools=5, costs=Costs(schema_weight=100.0)) == []
    assert ("a", "b", "c") in mine(sequences, max_tools=5, costs=Costs(schema_weight=0.1))


def test_optional_steps_are_turned_on_by_their_inputs() -> None:
    lock = PastCall("lock", {"door": "front"})
    start = PastCall("start", {"mode": "eco"})
    brake = PastCall("brake", {"force": 1})
    episodes = [
        Episode("a", "1", ((lock, brake, start),), ordered=True),
        Episode("b", "2", ((brake, start),), ordered=True),
        Episode("c", "3", ((lock, brake, start),), ordered=True),
        Episode("d", "4", ((PastCall("lock", {"door": "back"}), brake, start),), ordered=True),
    ]
    tools = [one.tool for one in find_tools(episodes)]
    for planned in ([lock, brake, start], [brake, start]):
        (call,) = condense(planned, tools, ordered=True)
        tool = next(one for one in tools if one.name == call.api)
        assert [one.api for one in expand(tool, call.arguments)] == [one.api for one in planned]


def test_a_call_without_the_argument_that_turns_its_step_on_is_left_alone() -> None:
    brake, start = PastCall("brake", {"force": 1}), PastCall("start", {"mode": "eco"})
    doors = [PastCall("lock", {"door": door}) for door in ("front", "back", "left", "right")]
    runs = [Episode(f"q{n}", f"{n}", ((door, brake, start),), ordered=True) for n, door in enumerate(doors)]
    tools = [one.tool for one in find_tools(runs)]
    made = condense([PastCall("lock", {}), brake, start], tools, ordered=True)
    assert (made[0].api, made[0].arguments) == ("lock", {})


@pytest.mark.parametrize("limit", [1, 2])
def test_the_library_is_bounded(limit: int) -> None:
    pairs = [
        episode(f"q{n}{k}", f"vid_{k}", PastCall(f"a{n}", {"x": k}), PastCall(f"b{n}", {"y": k}))
        for n in range(5)
        for k in range(3)
    ]
    assert len(find_tools(pairs, max_tools=limit)) == limit


def asked(question: str, source: str, *calls: PastCall, is_sure: bool = True) -> Episode:
    return replace(episode(question, source, *calls), is_sure=is_sure)


NOTES = PastCall("get_notes", {"language": "en"}, needed=False)
COUNTED = [
    asked("How many dogs are there?", "vid_1", *detect(1.0, 2.0), NOTES),
    asked("How many cats are there?", "vid_2", *detect(3.0, 4.0, 5.0, query="cat"), NOTES),
]


def test_what_answers_rest_on_becomes_a_tool_and_the_rest_does_not() -> None:
    (found, *others) = find_tools(COUNTED)
    assert [call.api for call in found.tool.calls] == ["detect_objects"]
    assert not others
    # Of three and of four calls one is left each.
    assert found.calls_saved == 5
    planned = [*detect(7.0, 8.0, query="bird"), NOTES]
    call = fit(planned, found.tool)
    assert call is not None
    assert (call.arguments["query"], call.stands_for) == ("bird", 2)


def thinly(calls: Sequence[PastCall], every: int) -> list[PastCall]:
    return [replace(call, needed=place % every == 0) for place, call in enumerate(calls)]


def test_a_tool_looks_as_thinly_as_answers_allow() -> None:
    times = [float(n) for n in range(6)]
    episodes = [
        asked("What colour is the dog?", "vid_1", *thinly(detect(*times), 3)),
        asked("What colour is the cat?", "vid_2", *thinly(detect(*times, query="cat"), 3)),
        asked("What colour is the cup?", "vid_2", *thinly(detect(*times, query="cup"), 3)),
    ]
    found = find_tools(episodes)[0]
    planned = detect(*times, query="bird")
    call = fit(planned, found.tool)
    assert call is not None
    assert [one.arguments["timestamp"] for one in expand(found.tool, call.arguments)] == [0.0, 3.0]
    assert len(expand(found.tool, call.arguments, whole=True)) == 6
    assert "one timestamp in 3" in found.tool.description
    # It does not make all of the calls, so they cannot be written as a call of it.
    assert [one.api for one in condense(planned, [found.tool])] == ["detect_objects"] * 6


def test_runs_that_needed_every_look_speak_against_looking_thinly() -> None:
    times = [float(n) for n in range(6)]
    episodes = [
        asked("What colour is the dog?", "vid_1", *thinly(detect(*times), 3), NOTES),
        asked("What colour is the cat?", "vid_2", *detect(*times, query="cat"), NOTES),
        asked("What colour is the cup?", "vid_2", *detect(*times, query="cup"), NOTES),
    ]
    assert not any(is_thinned(one.tool) for one in find_tools(episodes))


def test_a_tool_fits_only_what_is_wanted_first() -> None:
    (found,) = find_tools(COUNTED)
    assert fit([NOTES, *detect(7.0, 8.0)], found.tool) is None


def test_runs_without_an_answer_speak_against_a_tool() -> None:
    silent = [
        asked(
            f"How many {thing} are there?",
            f"vid_{thing}",
            *detect(1.0, 2.0, query=thing),
            NOTES,
            is_sure=False,
        )
        for thing in ("cups", "cars", "birds")
    ]
    assert not [one for one in find_tools([*COUNTED, *silent]) if len(one.tool.calls) == 1]


def test_a_tool_of_one_step_is_not_called_like_its_operation() -> None:
    cuts = [
        asked(
            f"How many cuts are in part {n}?",
            f"vid_{n}",
            PastCall("get_temporal_structure", {"granularity": "fine"}),
            NOTES,
        )
        for n in range(3)
    ]
    assert [one.tool.name for one in find_tools(cuts)] == ["get_temporal_structure_alone"]


def test_a_saved_name_never_hides_a_field_of_every_result() -> None:
    runs = [
        episode(
            f"q{n}", f"vid_{n}", PastCall("get_notes", {"language": "en"}), PastCall("get_transcript", {})
        )
        for n in range(4)
    ]
    (found,) = find_tools(runs)
    assert {"notes", "failed", "evidence"}.isdisjoint(found.tool.outputs)
    as_operation(found.tool)


def found_at(source: str, query: str, start: float, *, linked: bool = True) -> Episode:
    hit = {"start_time": start, "end_time": start + 2.25, "confidence": 0.9}
    search = PastCall("temporal_search", {"query": query, "top_k": 5}, {"query": query, "results": [hit]})
    seen = {
        "start_time": start if linked else 7.5,
        "end_time": start + 2.25 if linked else 9.75,
        "focus": query,
    }
    return Episode(f"Where is the {query}?", source, ((search,), (PastCall("describe_visual", seen, {}),)))


def test_what_a_later_call_takes_from_a_result_is_a_template_and_no_input() -> None:
    (found,) = find_chains([found_at("vid_1", "dog", 3.75), found_at("vid_2", "cat", 11.5)])
    search, describe = found.tool.calls
    assert describe.params["start_time"] == "{{temporal_search[0].start_time}}"
    assert describe.params["end_time"] == "{{temporal_search[0].end_time}}"
    # What is looked for was known before: one input serves both steps.
    assert (search.params["query"], describe.params["focus"]) == ("{{query}}", "{{query}}")
    assert sorted(found.tool.inputs) == ["query", "top_k"]
    assert found.examples == (
        ("vid_1", {"query": "dog", "top_k": 5}),
        ("vid_2", {"query": "cat", "top_k": 5}),
    )
    check_tool(found.tool)


def test_calls_that_only_follow_each_other_are_no_chain() -> None:
    assert not find_chains([found_at(f"vid_{n}", "dog", n + 0.5, linked=False) for n in range(3)])


def test_one_video_makes_no_chain() -> None:
    assert not find_chains([found_at("vid_1", "dog", 3.75), found_at("vid_1", "cat", 11.5)])


def test_a_chain_is_not_taken_for_the_tool_of_its_first_step() -> None:
    runs = [
        replace(found_at(f"vid_{n}", word, n + 0.75), is_sure=True) for n, word in enumerate(("dog", "cat"))
    ]
    assert any(one.is_chain for one in find_tools(runs))


def test_one_tool_serves_calls_that_name_a_thing_in_different_ways() -> None:
    by_category = [
        PastCall("detect_objects", {"category": "dog", "timestamp": float(n), "confidence_threshold": 0.5})
        for n in (1, 2)
    ]
    by_words = [
        PastCall("detect_objects", {"query": "red cup", "timestamp": float(n), "confidence_threshold": 0.3})
        for n in (3, 4, 5)
    ]
    runs = [
        asked("How many dogs are there?", "vid_1", *by_category, NOTES),
        asked("How many red cups are there?", "vid_2", *by_words, NOTES),
    ]
    (found,) = find_tools(runs)
    assert sorted(found.tool.inputs) == ["category", "confidence_threshold", "query", "timestamps", "worn"]
    for planned in (by_category, by_words):
        call = fit([*planned, NOTES], found.tool)
        assert call is not None
        assert expand(found.tool, call.arguments) == [PastCall(one.api, one.arguments) for one in planned]


def test_a_loop_takes_whatever_its_operation_takes() -> None:
    runs = [
        asked(f"How many {thing}s are there?", f"vid_{n}", *_looks("category", thing), NOTES)
        for n, thing in enumerate(("dog", "cup"))
    ]
    (found,) = find_tools(runs)
    assert sorted(found.tool.inputs) == ["category", "confidence_threshold", "query", "timestamps", "worn"]
    assert check_tool(found.tool).tool == found.tool
    planned = [
        PastCall(one.api, {**one.arguments, "confidence_threshold": 0.5})
        for one in _looks("query", "red car")
    ]
    call = fit(planned, found.tool)
    assert call is not None, "what was learned from categories serves words too"
    assert expand(found.tool, call.arguments) == planned


def _looks(name: str, thing: str) -> list[PastCall]:
    return [PastCall("detect_objects", {name: thing, "timestamp": float(n)}) for n in (1, 2)]
