"""Cuts are counted and timed from the shots; the camera from the scene's attributes."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import ask, hits, prove, shots
from tests.embedded.recipes.told import Told
from vidence.ops.get_scene_attributes import GetSceneAttributesResult
from vidence.ops.get_temporal_structure import Gradual
from vidence.schema.agent import OperationCall


def film(call: OperationCall) -> BaseModel | None:
    """Sea from 0, city from 5, wood from 12 s."""
    if call.operation == "get_temporal_structure":
        return shots(0.0, 5.0, 12.0)
    query = call.arguments["query"]
    spans = {"sea": (0.5, 4.8, 0.8), "city": (5.0, 11.0, 0.7), "wood": (12.0, 19.0, 0.7)}
    spans |= {"海": spans["sea"], "城": spans["city"], "森林": spans["wood"]}
    named = [span for name, span in spans.items() if name in query]
    return hits(query, *(named if len(named) == 1 else ()))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many hard cuts does the clip contain?", "2 cuts"),
        ("How many shots are there?", "3 shots"),
        ("How many cuts are there before 10 seconds?", "1 cut"),
        ("Are there any cuts?", "Yes: 2 cuts"),
        ("有几次镜头切换？", "2 次切换"),
        ("When is the cut from the city to the wood?", "12.0 s"),
        ("When does the sea cut to the city?", "5.0 s"),
        ("When is the first cut?", "5.0 s"),
        ("When is the last cut?", "12.0 s"),
        ("When is the second cut?", "12.0 s"),
        ("When is the second to last cut?", "5.0 s"),
        ("When is the third cut?", "There is no such one: only 2 cuts."),
        ("第二次切换是什么时候？", "12.0 秒"),
        ("从城市切换到森林是在第几秒？", "12.0 秒"),
    ],
)
def test_cuts_are_counted_and_timed(question: str, answer: str) -> None:
    assert ask(question, film).answer == answer


def faded(call: OperationCall) -> BaseModel | None:
    """A cut at 4 s, a fade at 8 s, a dissolve at 12 s."""
    kinds: list[Gradual | None] = [None, None, "fade", "dissolve"]
    structure = call.operation == "get_temporal_structure"
    return shots(0.0, 4.0, 8.0, 12.0, transitions=kinds) if structure else hits(call.arguments["query"])


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many cuts are there?", "1 cut, and 1 fade and 1 dissolve"),
        ("How many hard cuts are there?", "1 cut, and 1 fade and 1 dissolve"),
        ("How many fades are there?", "1 fade, and 1 cut and 1 dissolve"),
        ("How many shots are there?", "4 shots"),
        ("How many shot changes are there?", "3 shot changes"),
        ("Are there any dissolves?", "Yes: 1 dissolve, and 1 cut and 1 fade"),
        ("When does the picture fade to black?", "8.0 s"),
        ("When is the dissolve?", "12.0 s"),
        ("有几次镜头切换？", "3 次切换"),
        ("有几次淡入淡出？", "1 次淡入淡出，另有 1 次硬切和1 次叠化"),
        ("有几次硬切？", "1 次硬切，另有 1 次淡入淡出和1 次叠化"),
    ],
)
def test_a_fade_is_no_cut(question: str, answer: str) -> None:
    assert ask(question, faded).answer == answer


def test_a_single_shot_has_no_cut() -> None:
    found = ask("How many hard cuts are there before the video ends?", lambda call: shots(0.0))
    assert found.answer == "0 cuts"
    assert found.probability > 0.8


@pytest.mark.parametrize(
    ("question", "motion", "answer"),
    [
        ("Is the camera static or moving?", "static", "Static"),
        ("Is the camera static or moving?", "pan", "Moving (pan)"),
        ("Does the camera move?", "static", "No: static"),
        ("Is the camera fixed?", "static", "Yes: static"),
        ("Does the camera zoom?", "zoom", "Yes: moving (zoom)"),
        ("镜头是静止的吗？", "static", "是，静止的"),
    ],
)
def test_the_camera_is_told_by_the_scene(question: str, motion: str, answer: str) -> None:
    def scene(call: OperationCall) -> BaseModel | None:
        return GetSceneAttributesResult(camera_motion=motion)

    assert ask(question, scene).answer == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many cuts are there?", "2 cuts"),
        ("How many shots are there?", "3 shots"),
        ("有几个镜头？", "3 个镜头"),
        ("When is the second cut?", "10.0 s"),
        ("第二次切换是什么时候？", "10.0 秒"),
        ("When is the fifth cut?", "There is no such one: only 2 cuts."),
    ],
)
def test_cuts_and_shots_are_counted_with_proof(question: str, answer: str) -> None:
    assert prove(question, Told(cuts=(0.0, 5.0, 10.0))).answer == answer


def test_without_shots_the_cuts_cannot_be_told() -> None:
    assert ask("How many cuts are there?", lambda call: None).cannot_tell
