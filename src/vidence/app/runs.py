"""Runs over a workspace: its videos as a world, its trace folder, and the loops that can be replayed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from vidence.app.workspace import Progress, Workspace
from vidence.llm.protocol import Engine
from vidence.media.jpeg import encode_jpeg
from vidence.prompts import load_template
from vidence.registry import Registry
from vidence.runs.budget import Cancel
from vidence.runs.frames import read_frame
from vidence.runs.run import Given, Loop
from vidence.runs.trace import TraceFolder
from vidence.runs.traced import Replayed, Stopped, replay, run_traced
from vidence.runs.worlds.video import VideoWorld, operation_record
from vidence.runs.worlds.world import World
from vidence.schema.agent import AgentAnswer, AnswerLanguage, OperationCall, VideoCard
from vidence.schema.catalogue import VideoRecord
from vidence.schema.engine import CaptionDetail
from vidence.schema.events import Listener, Working
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.message import EncodedPicture
from vidence.schema.trace import Trace

__all__ = [
    "LOOPS",
    "TraceFolder",
    "progress_events",
    "replay_trace",
    "run_loop_in",
    "stoppable",
    "stored_hash",
    "video_card",
    "video_world",
]

LOOPS = Registry(
    "loop",
    {
        "solver_checker": "vidence.agents.solver_checker.loop:SolverChecker",
        "planner_executor": "vidence.agents.planner_executor.loop:PlannerExecutor",
        "monitor": "vidence.agents.monitor.loop:Monitor",
        "react": "vidence.agents.react.loop:ReActAgent",
        "tool_reasoner": "vidence.agents.tool_reasoner:ToolReasoner",
    },
    group="vidence.loops",
)


def run_loop_in(
    workspace: Workspace,
    loop: type[Loop[Given]],
    given: Given,
    world: World,
    engines: Mapping[str, Engine],
    *,
    listener: Listener | None = None,
    cancel: Cancel | None = None,
) -> AgentAnswer:
    """Run a loop with the workspace's prompts and keep its trace there."""
    return run_traced(
        loop,
        given,
        world,
        engines,
        folder=TraceFolder(workspace.settings.home),
        listener=listener,
        cancel=cancel,
        load_template=partial(load_template, overrides=workspace.settings.home / "prompts"),
    )


def stoppable(progress: Progress | None, cancel: Cancel) -> Progress:
    """Return a listener to progress that ends the work once `cancel` says so."""

    def told(what: str, fraction: float) -> None:
        if cancel():
            raise Stopped("The work was stopped; what was finished is kept.")
        if progress is not None:
            progress(what, fraction)

    return told


def replay_trace(trace: Trace, *, listener: Listener | None = None) -> Replayed:
    """Run the loop of a trace again without any model."""
    return replay(trace, LOOPS.resolve(trace.loop), listener=listener)


def video_world(
    workspace: Workspace,
    records: Sequence[VideoRecord],
    *,
    language: AnswerLanguage = "en",
    detail: CaptionDetail = "brief",
    listener: Listener | None = None,
) -> VideoWorld:
    """Return the videos as a world to look at."""
    return VideoWorld(
        partial(workspace.run, progress=progress_events(listener, ""), may_write=False),
        [video_card(record) for record in records],
        language=language,
        detail=detail,
        stored_hash=partial(stored_hash, workspace),
        show=partial(_show, workspace),
        detect_many=partial(_detect_many, workspace),
        archived=partial(_archived, workspace),
    )


def video_card(record: VideoRecord) -> VideoCard:
    """Return what an agent is told about a video."""
    return VideoCard(
        video_id=record.video_id,
        name=record.name.encode(errors="backslashreplace").decode(),
        duration_s=round(record.info.duration_s, 3),
        has_audio=bool(record.info.audio),
    )


def progress_events(listener: Listener | None, name: str) -> Progress | None:
    """Return a progress callback that emits `Working` events; None without a listener."""
    if listener is None:
        return None

    def report(what: str, fraction: float) -> None:
        listener(Working(what=f"{name}: {what}" if name else what, progress=min(max(fraction, 0.0), 1.0)))

    return report


def stored_hash(workspace: Workspace, record_id: str) -> str | None:
    """Return the hash of a recorded result that the workspace still holds."""
    record = workspace.store.results.get_record(record_id)
    if record is None or workspace.store.results.result(record.result_hash) is None:
        return None
    return record.result_hash


def _archived(workspace: Workspace, record_id: str) -> EvidenceRecord | None:
    """Return a stored record with its result, as evidence."""
    results = workspace.store.results
    record = results.get_record(record_id)
    text = None if record is None else results.result(record.result_hash)
    if record is None or text is None:
        return None
    return operation_record(record, json.loads(text), asked=record.arguments)


def _show(workspace: Workspace, video_id: str, time_s: float) -> EncodedPicture:
    path = workspace.store.catalogue.locate(video_id)
    return EncodedPicture(data=encode_jpeg(read_frame(path, time_s, threads=workspace.settings.threads)))


def _detect_many(workspace: Workspace, calls: Sequence[OperationCall]) -> None:
    """Answer calls of detect_objects that differ only in their time in one pass; the results are cached."""
    others: dict[str, Any] = {
        name: value for name, value in calls[0].arguments.items() if name != "timestamp"
    }
    workspace.detect_many([call.arguments["timestamp"] for call in calls], others)
