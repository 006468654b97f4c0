"""Planning over the videos and pictures of a workspace, and finding the way from what is in sight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import cv2
import numpy as np

from vidence.agents.planner_executor.initializer import Initializer
from vidence.agents.planner_executor.loop import PlannerExecutor, planner_engines, planner_input
from vidence.agents.planner_executor.planner import Image, Planner, Sight, read_pictures, shown_to
from vidence.app.engines import open_engine
from vidence.app.memory import MAX_MEMORIES, open_conversations
from vidence.app.runs import progress_events, run_loop_in, video_card, video_world
from vidence.app.workspace import Workspace
from vidence.errors import UserError
from vidence.language.identify import question_language
from vidence.llm.ask import ask_for
from vidence.llm.protocol import Engine
from vidence.prompts import Wording
from vidence.prompts.build import build_tom_prompt, build_vln_prompt
from vidence.runs.budget import Cancel
from vidence.runs.inputs import check_question
from vidence.runs.worlds.captions import GivenWorld
from vidence.runs.worlds.video import REFUSED
from vidence.schema.agent import AgentAnswer, Budget, MemoryUnit
from vidence.schema.beliefs import BeliefReport, BeliefVariables
from vidence.schema.events import Listener
from vidence.schema.message import EncodedPicture
from vidence.schema.navigation import NavigationAction, NavigationStep, NavigationVariables

__all__ = ["beliefs", "next_action", "plan", "sight_of"]

_SURE = 0.4
_LIKELY_LABEL = 0.35


def plan(
    workspace: Workspace,
    question: str,
    videos: Sequence[str] = (),
    *,
    image: Image = None,
    engine: Engine | str | None = None,
    budget: Budget | None = None,
    listener: Listener | None = None,
    cancel: Cancel | None = None,
    by_meaning: bool = True,
    initializer: Initializer | None = None,
) -> AgentAnswer:
    """Answer a query about videos, pictures and what is remembered by planning tool after tool.

    The query and its answer become a turn of the conversation in memory. `initializer` says which tools,
    which memory and which engines; without it the settings do. An `engine` given here is used in any case.
    """
    setup = initializer or _setup(workspace)
    chosen, fixed = _engines(workspace, setup, engine, is_configured=initializer is not None)
    records = [workspace.resolve(one, progress=progress_events(listener, one)) for one in videos]
    for record in records:
        workspace.index(record.video_id, progress=progress_events(listener, record.name))
    planner = Planner(
        chosen,
        fixed,
        memory_manager=open_conversations(workspace, by_meaning=by_meaning, setup=setup)[0],
        tools=[tool for tool in setup.tools if tool.name not in REFUSED],
        videos=[video_card(record) for record in records],
        see=None if chosen.capabilities.sees_pictures or image is None else sight_of(workspace),
    )
    given = planner_input(planner, question, image=image, budget=budget)
    planner.record_query(question)
    answer = run_loop_in(
        workspace,
        PlannerExecutor,
        given,
        video_world(workspace, records, listener=listener) if records else GivenWorld(()),
        planner_engines(planner),
        listener=listener,
        cancel=cancel,
    )
    planner.record_answer(answer.answer)
    return answer


def _setup(workspace: Workspace) -> Initializer:
    """Return the tools, memory and engines that the settings describe."""
    llm = workspace.settings.llm
    return Initializer(
        memory_config={"max_memories": MAX_MEMORIES},
        llm_config={
            "engine_name": llm.engine,
            "temperature": llm.temperature,
            "max_tokens": llm.max_tokens,
        },
    )


def _engines(
    workspace: Workspace, setup: Initializer, engine: Engine | str | None, *, is_configured: bool
) -> tuple[Engine, Engine]:
    """Return the planner's engine and the fixed one; routes and fallbacks are those of the settings."""
    if isinstance(engine, Engine):
        return engine, engine
    if engine is not None or not is_configured:
        chosen = open_engine(workspace, engine)
        return chosen, chosen
    return setup.engines(lambda name, **options: open_engine(workspace, name, **options))


def next_action(
    workspace: Workspace,
    instruction: str,
    images: Sequence[str | bytes | EncodedPicture],
    history: Sequence[NavigationAction] = (),
    *,
    engine: Engine | str | None = None,
) -> NavigationStep:
    """Return the next action on the way an instruction describes; the last picture is what is seen now."""
    if not instruction.strip():
        raise UserError("The instruction is empty. Write one, such as: Go past the sofa and turn left.")
    chosen = engine if isinstance(engine, Engine) else open_engine(workspace, engine)
    pictures = read_pictures(list(images))
    see = sight_of(workspace)
    captions = ["" if chosen.capabilities.sees_pictures else see(one) for one in pictures]
    variables = NavigationVariables(
        instruction=instruction.strip(),
        language=question_language(instruction),
        frames=tuple(MemoryUnit(frame_id=place, caption=text) for place, text in enumerate(captions, 1)),
        history=tuple(history),
    )
    prompt = build_vln_prompt(
        variables, shown_to(chosen, pictures), wording=_wording(workspace, variables.language)
    )
    return ask_for(chosen, prompt, NavigationStep).value


def beliefs(
    workspace: Workspace, question: str, story: str, *, engine: Engine | str | None = None
) -> BeliefReport:
    """Return who knows or believes what in a story (Theory of Mind), with the events it rests on."""
    if not story.strip():
        raise UserError("The story is empty. Write what happens, such as: Anne puts the ball in the box. …")
    chosen = engine if isinstance(engine, Engine) else open_engine(workspace, engine)
    variables = BeliefVariables(
        question=check_question(question), language=question_language(question), story=story.strip()
    )
    prompt = build_tom_prompt(variables, wording=_wording(workspace, variables.language))
    return ask_for(chosen, prompt, BeliefReport).value


def _wording(workspace: Workspace, language: str) -> Wording:
    return Wording(language, overrides=workspace.settings.home / "prompts")


def sight_of(workspace: Workspace) -> Sight:
    """Return what puts a picture into words: what is detected, what it shows as a whole, what is written."""

    def see(picture: EncodedPicture) -> str:
        image = cv2.imdecode(np.frombuffer(picture.data, np.uint8), cv2.IMREAD_COLOR)
        if image is None:
            raise UserError("A picture is damaged and cannot be decoded.")
        rgb = np.ascontiguousarray(image[..., ::-1]).astype(np.uint8)
        shelf = workspace.indexer.shelf
        found = Counter(one.category for one in shelf.detector.detect([rgb])[0] if one.confidence >= _SURE)
        parts = [f"{number} {name}" for name, number in found.items()]
        parts += [
            one.label for one in shelf.labeller.label([rgb])[0].scores[:3] if one.score >= _LIKELY_LABEL
        ]
        parts += [f"“{line.text}”" for line in shelf.ocr.read([rgb])[0][:5]]
        return ", ".join(dict.fromkeys(parts))

    return see
