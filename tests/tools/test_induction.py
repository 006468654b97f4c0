"""Recurring calls become tools, and planned calls are written through them."""

from __future__ import annotations

import pytest

from vidence.tools import check_tool
from vidence.tools.induction import Episode, PastCall, condense, expand, find_tools, units_of
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
    assert [call.arguments["timestamp"] for call in loop.calls] == [1.0, 2.0]


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


@pytest.mark.parametrize("limit", [1, 2])
def test_the_library_is_bounded(limit: int) -> None:
    pairs = [
        episode(f"q{n}{k}", f"vid_{k}", PastCall(f"a{n}", {"x": k}), PastCall(f"b{n}", {"y": k}))
        for n in range(5)
        for k in range(3)
    ]
    assert len(find_tools(pairs, max_tools=limit)) == limit
