"""Scripted engines and captions for tests of the loops."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vidence.agents.solver_checker.loop import SOLVER, SolverChecker, SolverInput
from vidence.llm.protocol import Engine
from vidence.llm.scripted import Line, ScriptedEngine
from vidence.prompts import Prompt
from vidence.runs.inputs import checked_input
from vidence.runs.run import CHECKER
from vidence.runs.trace import TraceFolder
from vidence.runs.traced import run_traced
from vidence.runs.worlds.world import World
from vidence.schema.agent import AgentAnswer

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


def trace_ask(
    folder: Path, world: World, engine: Engine, question: str = "How many people?", **how: Any
) -> AgentAnswer:
    """Run the Solver/Checker loop with a trace in `folder`."""
    more = {name: how.pop(name) for name in ("listener", "clock", "cancel", "load_template") if name in how}
    given = SolverInput(**checked_input(question), **how)
    engines = {SOLVER: engine, CHECKER: engine}
    return run_traced(SolverChecker, given, world, engines, folder=TraceFolder(folder), **more)
