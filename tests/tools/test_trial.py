"""A tool is for the kinds of questions that it makes cheaper."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

from vidence.tools.induction import Counted, Episode, Found, PastCall, Trial, fitted
from vidence.tools.steps import parse_tool


def counted(calls: int, tokens: int, look_ups: int = 5) -> Counted:
    return cast(Counted, SimpleNamespace(calls=calls, tokens=tokens, look_ups=look_ups))


BASE = counted(10, 1000)


def made(name: str, api: str, *questions: str) -> Found:
    steps = [{"api": api, "params": {}, "save_as": "found"}]
    text = {"tool_name": name, "description": "x", "inputs": {}, "outputs": {}, "steps": steps}
    return Found(parse_tool(json.dumps(text)), questions, ("vid_1", "vid_2"), 3)


def run_of(question: str) -> Episode:
    batches = tuple((PastCall(api, {}),) for api in ("get_video_info", "get_transcript"))
    return Episode(question, "vid_1", batches, is_sure=True)


def test_a_tool_is_for_the_kinds_of_questions_that_it_makes_cheaper() -> None:
    count, other, when = "How many cups are there?", "How many dogs are there?", "When does the dog come?"
    after = {
        count: counted(1, 600),
        when: counted(1, 1100),
        "What colour is it?": counted(1, 500),
        "Why does he run?": counted(1, 500, look_ups=9),
    }

    def attempt(tools: Sequence[Found], one: Episode) -> Trial:
        return Trial(one.question, BASE, after[one.question], "colour" not in one.question)

    found = made("good", "get_video_info", other, when)
    (kept,) = fitted([found], [run_of(one) for one in after], attempt).kept
    assert kept.questions == (count, other), "no kind whose tokens rose, answers changed or looks grew"
    assert set(kept.tried) == set(after)
    assert fitted([found], [run_of(when)], attempt).kept == []


def test_another_tool_joins_where_both_together_save_more() -> None:
    more, less = made("more", "get_video_info"), made("less", "get_video_info")
    heard = made("heard", "get_transcript")
    saved = {("less",): 900, ("more",): 500, ("heard",): 950, ("more", "less"): 520, ("more", "heard"): 450}

    def attempt(tools: Sequence[Found], one: Episode) -> Trial:
        names = tuple(tool.tool.name for tool in tools)
        return Trial(one.question, BASE, counted(1, saved[names]), is_answered=True)

    kept = fitted([less, more, heard], [run_of("How many cups are there?")], attempt).kept
    assert [one.tool.name for one in kept] == ["more", "heard"]
