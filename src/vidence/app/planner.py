"""Planning over the videos and pictures of a workspace, and finding the way from what is in sight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

import cv2
import numpy as np

from vidence.agents.planner_executor.executor import Executor
from vidence.agents.planner_executor.formatters import NavigationStep
from vidence.agents.planner_executor.initializer import Initializer
from vidence.agents.planner_executor.planned import run_planned
from vidence.agents.planner_executor.planner import Image, Planner, Sight, read_pictures
from vidence.app.engines import open_engine
from vidence.app.memory import open_conversations
from vidence.app.workspace import Workspace
from vidence.errors import OpFailed, UserError
from vidence.language.identify import question_language
from vidence.llm.protocol import Engine
from vidence.prompts.vln import build_vln_prompt
from vidence.runs.ask import ask_structured
from vidence.runs.worlds.video import REFUSED, VideoWorld
from vidence.schema.agent import AgentAnswer, Budget, MemoryUnit, OperationCall, VideoCard
from vidence.schema.catalogue import VideoRecord
from vidence.schema.events import Listener
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.message import Picture
from vidence.schema.navigation import NavigationAction, NavigationVariables

__all__ = ["next_action", "plan", "sight_of"]

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
    by_meaning: bool = True,
) -> AgentAnswer:
    """Answer a query about videos, pictures and what is remembered by planning tool after tool."""
    chosen = engine if isinstance(engine, Engine) else open_engine(workspace, engine)
    records = [workspace.resolve(one) for one in videos]
    for record in records:
        workspace.index(record.video_id)
    cards = [_card(record) for record in records]
    enabled = [name for name in Initializer().available_tools if name not in REFUSED]
    tools = Initializer(enabled).tools
    stored_hash = partial(_stored_hash, workspace)
    call = VideoWorld(workspace.run, cards, stored_hash=stored_hash).call if cards else _no_video
    planner = Planner(
        chosen,
        memory_manager=open_conversations(workspace, by_meaning=by_meaning)[0],
        tools=tools,
        videos=cards,
        see=None if chosen.capabilities.sees_pictures or image is None else sight_of(workspace),
    )
    return run_planned(
        question,
        planner,
        Executor(chosen, call, tools=tools),
        image=image,
        budget=budget,
        stored_hash=stored_hash,
        listener=listener,
    )


def next_action(
    workspace: Workspace,
    instruction: str,
    images: Sequence[str | bytes | Picture],
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
    captions = ["" for _ in pictures] if chosen.capabilities.sees_pictures else [see(one) for one in pictures]
    variables = NavigationVariables(
        instruction=instruction.strip(),
        language=question_language(instruction),
        frames=tuple(MemoryUnit(frame_id=place, caption=text) for place, text in enumerate(captions, 1)),
        history=tuple(history),
    )
    shown = pictures if chosen.capabilities.sees_pictures else ()
    return ask_structured(chosen, build_vln_prompt(variables, shown), NavigationStep)[0].value


def sight_of(workspace: Workspace) -> Sight:
    """Return what puts a picture into words: what is detected, what it shows as a whole, what is written."""

    def see(picture: Picture) -> str:
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


def _card(record: VideoRecord) -> VideoCard:
    name = record.name.encode(errors="backslashreplace").decode()
    return VideoCard(
        video_id=record.video_id,
        name=name,
        duration_s=round(record.info.duration_s, 3),
        has_audio=bool(record.info.audio),
    )


def _stored_hash(workspace: Workspace, record_id: str) -> str | None:
    record = workspace.store.results.get_record(record_id)
    if record is None or workspace.store.results.result(record.result_hash) is None:
        return None
    return record.result_hash


def _no_video(call: OperationCall) -> EvidenceRecord:
    raise OpFailed(f"{call.operation} needs a video, and none was given.")
