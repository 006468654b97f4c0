"""The Solver/Checker loop: look, think, answer, be checked, until an answer passes or a limit is reached.

begin ──► Solver ──► retrieve_more_frames ──► System Notification ─┐
            ▲   ├──► call_operations ───────► System Notification ─┤
            │   ├──► no valid JSON ─────────► System Error ────────┤
            │   └──► answer_question ─► verifier ─► Checker ─┬─► ≥ 4: done
            │                                                └─► < 4: System Feedback ─┐
            └──────────────────────────────────────────────────────────────────────────┘
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from vidence.agents.solver_checker.run import Run
from vidence.agents.solver_checker.solver import OperationSchemas
from vidence.errors import UserError
from vidence.language.identify import question_language
from vidence.llm.protocol import Engine
from vidence.runs.budget import Cancel, Clock
from vidence.runs.options import check_options
from vidence.runs.wording import Wording
from vidence.runs.worlds.given import FetchFrames, GivenWorld
from vidence.runs.worlds.world import World
from vidence.schema.agent import AgentAnswer, AnswerLanguage, Budget, MemoryUnit
from vidence.schema.events import Listener

__all__ = ["FIRST_FRAMES", "check_question", "run_video_agent"]

FIRST_FRAMES = 5
_MAX_QUESTION = 10_000


def run_video_agent(
    question: str,
    initial_memory: Sequence[MemoryUnit] = (),
    *,
    engine: Engine,
    checker: Engine | None = None,
    fetch_new_frames: FetchFrames | None = None,
    world: World | None = None,
    first_frames: int | None = None,
    options: Sequence[str] = (),
    budget: Budget | None = None,
    may_call_operations: bool = False,
    operations: OperationSchemas = (),
    language: AnswerLanguage | None = None,
    listener: Listener | None = None,
    cancel: Cancel | None = None,
    clock: Clock = time.monotonic,
    wording: Wording | None = None,
    gaps: Sequence[str] = (),
) -> AgentAnswer:
    """Answer a question about what a world shows; the best grounded answer so far when a limit is reached.

    Either `initial_memory` (with `fetch_new_frames` for more) or a `world` is looked at. `operations` are the
    schemas of what the Solver may call, where `may_call_operations` allows it; `gaps` says what is known to
    be missing beforehand. Bad input raises UserError; after that nothing a model or a video does raises: it
    becomes a gap of the answer.
    """
    asked, chosen = check_question(question), check_options(options)
    spoken = language or question_language(asked)
    seen: World = world if world is not None else GivenWorld(initial_memory, fetch_new_frames)
    first = FIRST_FRAMES if world is not None else len(initial_memory)
    run = Run(
        asked,
        seen,
        engine=engine,
        checker=checker or engine,
        options=chosen,
        budget=budget or Budget(),
        may_call_operations=may_call_operations,
        operations=operations,
        wording=wording or Wording(spoken),
        gaps=tuple(gaps),
        listener=listener,
        cancel=cancel,
        clock=clock,
    )
    return run.go(first if first_frames is None else first_frames)


def check_question(question: str) -> str:
    """Return the question without blanks around it, or say what is wrong with it."""
    # Bytes of a command line that are no UTF-8 come in as lone surrogates, which no file takes.
    asked = question.strip().encode(errors="replace").decode()
    if not any(character.isalnum() for character in asked):
        raise UserError("The question is empty. Ask something, such as: How many people are there?")
    if len(asked) > _MAX_QUESTION:
        raise UserError(
            f"The question has {len(asked)} characters; at most {_MAX_QUESTION} are taken. Ask more briefly."
        )
    return asked
