"""Worlds and scripts for the loop."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from vidence.llm.scripted import Line, ScriptedEngine
from vidence.prompts import Prompt
from vidence.runs.worlds.captions import CaptionWorld
from vidence.schema.agent import MemoryUnit

CAPTIONS = (
    "a man walks into a kitchen",
    "he opens a red door",
    "three people sit at a table",
    "a dog sleeps on the floor",
    "the dog barks at the door",
    "a woman pours tea",
    "two cups stand on the table",
    "the people leave",
    "night falls",
    "the kitchen is empty",
)


@pytest.fixture
def captions() -> tuple[MemoryUnit, ...]:
    return tuple(
        MemoryUnit(frame_id=number, caption=text, timestamp_s=number * 2.0)
        for number, text in enumerate(CAPTIONS, 1)
    )


@pytest.fixture
def world(captions: tuple[MemoryUnit, ...]) -> CaptionWorld:
    return CaptionWorld(captions)


def action(kind: str, **payload: Any) -> str:
    """Write a Solver's reply: thinking, then the block."""
    block = {"thought_summary": "as scripted", "action_type": kind, "action_payload": payload}
    return f"Let me think.\n```json\n{json.dumps(block, ensure_ascii=False)}\n```"


def answer(text: str, *frames: int, claim: str | None = None, **more: Any) -> str:
    """Write an answer that cites frames for one claim."""
    cited = [{"record_id": f"frame_{frame}"} for frame in frames]
    claims = [{"text": claim or text, "citations": cited}] if frames else []
    return action("answer_question", final_answer=text, explanation="", claims=claims, **more)


def verdict(score: int, feedback: str = "") -> str:
    """Write a Checker's reply."""
    return json.dumps({"confidence_score": score, "feedback": feedback})


def by_task(solver: list[Line] | Callable[[Prompt], Line], checker: Line | list[Line]) -> ScriptedEngine:
    """Return an engine with one script for the Solver, whose last line repeats, and one for the Checker."""
    asked = {"solver.step": 0, "checker.evaluate": 0}

    def say(prompt: Prompt) -> Line:
        turn = asked[prompt.task]
        asked[prompt.task] += 1
        script = solver if prompt.task == "solver.step" else checker
        if callable(script):
            return script(prompt)
        if isinstance(script, list):
            return script[min(turn, len(script) - 1)]
        return script

    return ScriptedEngine(say)
