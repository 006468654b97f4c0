"""Asking the sample video: the real index, the real operations, the real loop; only the model is scripted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import MAIN
from tests.media.clips import even_ticks, make_clip
from tests.scripts import action, answer, by_task, verdict
from vidence.app import Workspace, list_models, open_memory, open_workspace
from vidence.app.ask import ask
from vidence.app.runs import replay_trace
from vidence.llm.protocol import Capabilities
from vidence.llm.scripted import ScriptedEngine
from vidence.prompts import Prompt
from vidence.runs.trace import TraceFolder
from vidence.schema.agent import Budget, SolverVariables
from vidence.schema.events import FramesFetched, StepEvent
from vidence.settings import load_settings

pytestmark = pytest.mark.slow


def call(operation: str, **arguments: Any) -> str:
    return action("call_operations", calls=[{"operation": operation, "arguments": arguments}])


def last_record(prompt: Prompt) -> str:
    variables = prompt.variables
    assert isinstance(variables, SolverVariables)
    return variables.records[-1].record_id


def said_by_record(first: str, text: str, claim: str, **cited: Any) -> ScriptedEngine:
    """Script a Solver that calls an operation and then answers from its record."""
    turns = iter(range(100))

    def solver(prompt: Prompt) -> str:
        if next(turns) == 0:
            return first
        citation = {"record_id": last_record(prompt), **cited}
        claims = [{"text": claim, "citations": [citation]}]
        return action("answer_question", final_answer=text, explanation="", claims=claims)

    return by_task(solver, verdict(5))


@pytest.fixture
def video(indexed: Workspace) -> str:
    return indexed.videos()[0].video_id


def test_an_answer_from_an_operation_is_verified_kept_and_repeatable(indexed: Workspace, video: str) -> None:
    engine = said_by_record(
        call("get_transcript"), "A cat with green eyes", "“a cat with green eyes” is said at 5 s."
    )
    result = ask(indexed, [video], "What animal is it?", engine=engine)
    assert result.passed, result.model_dump_json(indent=1)
    assert [record.source for record in result.evidence] == ["get_transcript"]
    assert indexed.store.results.get_record(result.evidence[0].record_id) is not None
    book, _ = open_memory(indexed, video)
    kept = [memory for memory in book.memories.all(book.scope) if memory.memory_type == "answer"]
    assert kept[-1].content == "What animal is it? — A cat with green eyes"
    assert kept[-1].derived_from == (result.evidence[0].record_id,)
    assert result.trace_id is not None
    assert replay_trace(TraceFolder(indexed.settings.home).find(result.trace_id).load()).is_identical


def test_the_replies_of_a_trace_answer_the_question_again(indexed: Workspace, video: str) -> None:
    engine = by_task([action("retrieve_more_frames", count=1), answer("A cat", 1)], verdict(5))
    first = ask(indexed, [video], "What animal is it?", engine=engine, remember=False)
    assert first.trace_id is not None
    path = TraceFolder(indexed.settings.home).find(first.trace_id).path
    again = ask(indexed, [video], "What animal is it?", engine=f"replay:{path}", remember=False)
    assert (again.answer, again.claims, again.gaps) == (first.answer, first.claims, first.gaps)
    assert (first.spent.llm_calls, again.spent.llm_calls) == (3, 0)


def test_a_wrong_claim_about_a_real_result_does_not_get_out(indexed: Workspace, video: str) -> None:
    engine = said_by_record(call("get_transcript"), "A dog", "“a dog with red eyes” is said at 5 s.")
    result = ask(
        indexed, [video], "What animal is it?", engine=engine, budget=Budget(steps=2), remember=False
    )
    assert not result.passed
    assert result.evidence == ()


def test_first_frames_are_spread_and_a_focus_finds_its_shot(
    indexed: Workspace, video: str, truth: dict[str, Any]
) -> None:
    events: list[StepEvent] = []
    engine = by_task(
        [action("retrieve_more_frames", count=1, focus="a cup of coffee"), answer("x", 1)], verdict(1, "No")
    )
    ask(
        indexed,
        [video],
        "What is it?",
        engine=engine,
        budget=Budget(steps=2),
        listener=events.append,
        remember=False,
    )
    first, more = [event.frames for event in events if isinstance(event, FramesFetched)]
    assert [frame.frame_id for frame in first] == [1, 2, 3, 4, 5]
    times = [frame.timestamp_s or 0.0 for frame in first]
    assert times == sorted(times)
    assert times[0] < 11 < 43 < times[-1]
    (coffee,) = more
    assert "coffee" in coffee.caption
    assert coffee.frame_id == 6


def test_an_engine_that_sees_is_shown_the_frames(indexed: Workspace, video: str) -> None:
    engine = by_task([answer("x", 1)], verdict(1, "No"))
    ask(indexed, [video], "What is it?", engine=engine, budget=Budget(steps=1), remember=False)
    pictures = engine.prompts[0].messages[1].pictures
    assert len(pictures) == 5
    assert all(picture.data.startswith(b"\xff\xd8") for picture in pictures)
    trace = TraceFolder(indexed.settings.home).find("last").load()
    assert len(trace.pictures) == 5
    assert replay_trace(trace).is_identical


def test_an_engine_that_does_not_see_is_shown_none(indexed: Workspace, video: str) -> None:
    engine = ScriptedEngine([answer("x", 1), verdict(1)], capabilities=Capabilities(context_tokens=10**6))
    ask(indexed, [video], "What is it?", engine=engine, budget=Budget(steps=1), remember=False)
    assert engine.prompts[0].messages[1].pictures == ()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (call("get_transkript"), "Unknown operation 'get_transkript'"),
        (call("detect_objects"), "timestamp is required"),
        (call("detect_objects", timestamp=9999), "outside the video"),
        (call("detect_objects", timestamp=1, video_id="vid_other"), "it must be one of"),
        (call("write_memory", memory_type="observation", content="obey"), "not offered here"),
    ],
)
def test_a_bad_call_is_explained_to_the_solver(indexed: Workspace, video: str, wrong: str, told: str) -> None:
    engine = by_task([wrong, answer("x", 1)], verdict(1, "No"))
    ask(indexed, [video], "What is it?", engine=engine, budget=Budget(steps=2), remember=False)
    assert told in [prompt for prompt in engine.prompts if prompt.task == "solver.step"][1].messages[-1].text


def test_operations_are_not_offered_where_they_are_not_allowed(indexed: Workspace, video: str) -> None:
    engine = by_task([answer("x", 1)], verdict(1, "No"))
    ask(
        indexed,
        [video],
        "What?",
        engine=engine,
        budget=Budget(steps=1),
        may_call_operations=False,
        remember=False,
    )
    assert "call_operations" not in engine.prompts[0].messages[0].text


def vidence(home: Path, *arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", MAIN, "--home", str(home), *map(str, arguments)]
    known = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    env = {**known, "NO_COLOR": "1", **environment}
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, env=env)


def test_the_command_answers_with_evidence_and_saves_its_frames(
    indexed_home: Path, sample: Path, tmp_path: Path
) -> None:
    ran = vidence(indexed_home, "ask", sample, "How many people are there?", "--frames", tmp_path / "f")
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert any(line.startswith("confidence ") for line in lines)
    assert any(line.startswith("  [00:") for line in lines)
    saved = list((tmp_path / "f").glob("*.jpg"))
    assert saved
    assert all(path.read_bytes().startswith(b"\xff\xd8") for path in saved)


def test_the_command_answers_a_chinese_question_in_chinese(indexed_home: Path, sample: Path) -> None:
    ran = vidence(indexed_home, "ask", sample, "视频里有什么动物？")
    assert ran.returncode == 0, ran.stderr
    assert "置信度" in ran.stdout


def test_the_command_prints_json_and_events(indexed_home: Path, sample: Path) -> None:
    told = json.loads(vidence(indexed_home, "ask", sample, "Is there a cat?", "--json").stdout)
    assert told["question"] == "Is there a cat?"
    for claim in told["claims"]:
        for citation in claim["citations"]:
            assert citation["record_id"] in {record["record_id"] for record in told["evidence"]}
    ran = vidence(indexed_home, "ask", "--all", "Is there a cat?", "--events")
    kinds = [json.loads(line)["kind"] for line in ran.stdout.splitlines()]
    assert (kinds[0], kinds[-1]) == ("started", "finished")


def test_no_key_names_the_variable(indexed_home: Path, sample: Path) -> None:
    ran = vidence(indexed_home, "ask", sample, "What?", "--engine", "openai:gpt-4o")
    assert ran.returncode == 2
    assert "OPENAI_API_KEY" in ran.stderr


def test_a_server_that_is_down_is_a_gap_and_a_failure(indexed_home: Path, sample: Path) -> None:
    options = {
        "VIDENCE_LLM__OPTIONS": '{"ollama": {"base_url": "http://127.0.0.1:9/v1"}}',
        "VIDENCE_LLM__RETRIES": "false",
    }
    ran = vidence(indexed_home, "ask", sample, "画面里有什么？", "--engine", "ollama:qwen3", **options)
    assert ran.returncode == 1
    assert "没有得到答案" in ran.stdout
    assert "无法连接" in ran.stderr


@pytest.fixture
def two_clips(tmp_path: Path) -> Iterator[tuple[Workspace, list[str]]]:
    """Two short clips in a workspace of their own."""
    if any(row.chosen and row.status == "missing" for row in list_models(load_settings())):
        pytest.skip("models are not here; run `vidence models fetch`")
    clips = [make_clip(tmp_path / f"{name}.mp4", ticks=even_ticks(50, start_s=0)) for name in ("one", "two")]
    clips[1].write_bytes(clips[0].read_bytes() + b"\0")
    with open_workspace(home=tmp_path / "home") as workspace:
        yield workspace, [str(clip) for clip in clips]


def test_a_language_model_is_shown_several_videos_at_once(two_clips: tuple[Workspace, list[str]]) -> None:
    workspace, clips = two_clips
    engine = by_task([action("retrieve_more_frames", count=2), answer("x", 1)], verdict(1, "No"))
    result = ask(workspace, clips, "What is it?", engine=engine, budget=Budget(steps=2), remember=False)
    assert [video.name for video in result.videos] == ["one.mp4", "two.mp4"]
    variables = [prompt for prompt in engine.prompts if prompt.task == "solver.step"][1].variables
    assert isinstance(variables, SolverVariables)
    assert [frame.frame_id for frame in variables.memory] == list(range(1, len(variables.memory) + 1))
    assert len({frame.video_id for frame in variables.memory}) == 2
    told = engine.prompts[0].messages[1].text
    assert all(video.video_id in told for video in result.videos)


def test_the_embedded_engine_looks_at_one_video_after_the_other(
    two_clips: tuple[Workspace, list[str]],
) -> None:
    workspace, clips = two_clips
    result = ask(workspace, [*clips, clips[0]], "How many people are there?")
    assert len(result.videos) == 2
    assert result.explanation.startswith(("one.mp4: ", "two.mp4: "))
    assert all(record.video_id in {video.video_id for video in result.videos} for record in result.evidence)
