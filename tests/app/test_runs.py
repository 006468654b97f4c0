"""Runs of a workspace: its videos as a world, its own prompts, and its traces."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scripts import answer, by_task, verdict
from vidence.agents.solver_checker.loop import SOLVER, SolverChecker, SolverInput
from vidence.app import Workspace, open_workspace
from vidence.app.runs import (
    LOOPS,
    TraceFolder,
    progress_events,
    replay_trace,
    run_loop_in,
    video_card,
    video_world,
)
from vidence.errors import OpRetry, UnknownName
from vidence.runs.inputs import checked_input
from vidence.runs.run import CHECKER
from vidence.runs.worlds.captions import CaptionWorld
from vidence.schema.agent import OperationCall
from vidence.schema.events import StepEvent, Working


def test_a_video_s_card_tells_its_name_length_and_sound(town: Workspace) -> None:
    silent = video_card(town.videos()[0])
    assert (silent.name, silent.duration_s, silent.has_audio) == ("bakery.mp4", 2.0, False)


def test_a_video_with_sound_says_so(tmp_path: Path, sample: Path) -> None:
    with open_workspace(home=tmp_path) as workspace:
        assert video_card(workspace.add(sample).video).has_audio


def test_the_frames_of_a_workspace_s_videos_are_described_in_both_languages(town: Workspace) -> None:
    videos = town.videos()[:2]
    english = video_world(town, videos).first_frames(2)
    chinese = video_world(town, videos, language="zh").first_frames(2)
    for frames in (english, chinese):
        assert [frame.video_id for frame in frames] == [video.video_id for video in videos]
        assert ["BAKERY" in frames[0].caption, "STATION" in frames[1].caption] == [True, True]
    assert "the text reads" in english[0].caption
    assert "字样" in chinese[0].caption


def test_an_operation_s_record_is_in_the_store_with_the_same_hash(town: Workspace) -> None:
    world = video_world(town, town.videos()[:1])
    record = world.call(OperationCall(operation="get_video_info"))
    assert world.stored_hash(record.record_id) == record.result_hash
    assert world.stored_hash("rec_unknown") is None


def test_a_call_with_wrong_arguments_can_be_corrected(town: Workspace) -> None:
    world = video_world(town, town.videos()[:1])
    with pytest.raises(OpRetry, match="99"):
        world.call(OperationCall(operation="detect_objects", arguments={"timestamp": 99.0}))
    with pytest.raises(UnknownName, match="Did you mean 'detect_objects'"):
        world.call(OperationCall(operation="detect_object", arguments={"timestamp": 1.0}))


def test_detections_prepared_together_are_those_made_one_by_one(town: Workspace) -> None:
    world = video_world(town, town.videos()[:1])
    calls = [
        OperationCall(
            operation="detect_objects",
            arguments={"video_id": town.videos()[0].video_id, "timestamp": time, "category": "person"},
        )
        for time in (0.2, 0.8, 1.4)
    ]
    world.prepare(calls)
    records = [world.call(call) for call in calls]
    assert [record.arguments["timestamp"] for record in records] == [0.2, 0.8, 1.4]
    kept = [town.store.results.get_record(record.record_id) for record in records]
    assert all(one is not None and one.cached for one in kept)


def test_a_frame_is_shown_as_a_jpeg(town: Workspace) -> None:
    world = video_world(town, town.videos()[:1])
    world.first_frames(1)
    picture = world.picture_of(1)
    assert picture is not None
    assert picture.format == "image/jpeg"
    assert picture.data.startswith(b"\xff\xd8")


def test_progress_becomes_events_between_none_and_all() -> None:
    events: list[StepEvent] = []
    report = progress_events(events.append, "a.mp4")
    assert report is not None
    report("reading", 0.5)
    report("读取", 1.7)
    report("reading", -1.0)
    bare = progress_events(events.append, "")
    assert bare is not None
    bare("shots", 0.1)
    assert events == [
        Working(what="a.mp4: reading", progress=0.5),
        Working(what="a.mp4: 读取", progress=1.0),
        Working(what="a.mp4: reading", progress=0.0),
        Working(what="shots", progress=0.1),
    ]
    assert progress_events(None, "a.mp4") is None


def test_a_run_uses_the_workspace_s_own_prompts_and_keeps_its_trace_there(
    tmp_path: Path, world: CaptionWorld
) -> None:
    prompts = tmp_path / "prompts" / "zh"
    prompts.mkdir(parents=True)
    (prompts / "solver.system.txt").write_text("你只数人。", encoding="utf-8")
    engine = by_task([answer("三个人", 3)], verdict(5))
    given = SolverInput(**checked_input("有几个人？"))
    with open_workspace(home=tmp_path) as workspace:
        result = run_loop_in(workspace, SolverChecker, given, world, {SOLVER: engine, CHECKER: engine})
        assert result.trace_id is not None
        trace = TraceFolder(workspace.settings.home).find(result.trace_id).load()
    assert engine.prompts[0].messages[0].text.startswith("你只数人。")
    assert (trace.question, trace.loop) == ("有几个人？", "solver_checker")
    assert replay_trace(trace).is_identical


def test_a_trace_of_an_unknown_loop_is_refused_by_name(tmp_path: Path, world: CaptionWorld) -> None:
    engine = by_task([answer("Three people", 3)], verdict(5))
    given = SolverInput(**checked_input("How many?"))
    with open_workspace(home=tmp_path) as workspace:
        run_loop_in(workspace, SolverChecker, given, world, {SOLVER: engine, CHECKER: engine})
        trace = TraceFolder(workspace.settings.home).find("last").load()
    with pytest.raises(UnknownName, match="solver_checker"):
        replay_trace(trace.model_copy(update={"loop": "solver_cheker"}))


def test_every_loop_is_known_by_the_name_in_its_traces() -> None:
    assert {name: LOOPS.resolve(name).name for name in ("solver_checker", "planner_executor")} == {
        "solver_checker": "solver_checker",
        "planner_executor": "planner_executor",
    }
