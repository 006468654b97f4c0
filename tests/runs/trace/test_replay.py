"""Recording and replaying: what a world and an engine gave is kept, and a run that differs is caught."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.scripts import action, answer, by_task, trace_ask, verdict
from vidence.app.runs import replay_trace
from vidence.errors import BackendError, OpFailed, OpRetry, UnknownName
from vidence.llm.scripted import ScriptedEngine
from vidence.prompts import Prompt, Template
from vidence.runs.trace import TraceFolder
from vidence.runs.trace.record import Recorder, RecordingEngine, record_world, world_card
from vidence.runs.trace.replay import Diverged, Ended, Tape, TapeEngine, tape_world
from vidence.runs.worlds.captions import CaptionWorld
from vidence.runs.worlds.world import Archive, Pictured
from vidence.schema.agent import MemoryUnit, OperationCall, RunInput, VideoCard
from vidence.schema.engine import EngineCard
from vidence.schema.evidence import EvidenceRecord, hash_of
from vidence.schema.message import EncodedPicture, Message
from vidence.schema.trace import Trace

VIDEO = VideoCard(video_id="vid_1", name="a.mp4", duration_s=30.0)


class FilmWorld(CaptionWorld):
    """Captions with pictures, an archive and one operation that fails."""

    def __init__(self, captions: Sequence[MemoryUnit]) -> None:
        super().__init__(captions, videos=(VIDEO,))
        self.prepared: list[str] = []

    def picture_of(self, frame_id: int) -> EncodedPicture | None:
        return None if frame_id % 4 == 0 else EncodedPicture(data=b"\xff\xd8" + bytes([frame_id]))

    def stored_hash(self, record_id: str) -> str | None:
        return hash_of({"objects": []}) if record_id.startswith("rec_") else None

    def prepare(self, calls: Sequence[OperationCall]) -> None:
        self.prepared += [call.operation for call in calls]

    def call(self, call: OperationCall) -> EvidenceRecord:
        if call.operation == "get_transcript":
            raise OpFailed("there is no sound")
        if call.operation == "track_entity":
            raise OpRetry("entity_id is missing")
        result: Any = {"objects": []}
        return EvidenceRecord(
            record_id=f"rec_{call.operation}",
            kind="operation",
            source=call.operation,
            arguments=call.arguments,
            result=result,
            result_hash=hash_of(result),
        )


@pytest.fixture
def film(captions: tuple[MemoryUnit, ...]) -> FilmWorld:
    return FilmWorld(captions)


CALLS = [{"operation": name} for name in ("detect_objects", "get_transcript", "track_entity")]


def kept(folder: Path, film: FilmWorld) -> Trace:
    engine = by_task([action("call_operations", calls=CALLS), answer("A dog", 4)], verdict(5))
    trace_ask(folder, film, engine, "Which animal?", may_call_operations=True)
    return TraceFolder(folder).find("last").load()


def test_pictures_lookups_and_failures_are_kept_and_given_again(tmp_path: Path, film: FilmWorld) -> None:
    trace = kept(tmp_path, film)
    kinds = [step.kind for step in trace.steps]
    assert kinds.count("picture") == 5
    assert kinds.count("operation") == 3
    assert (
        len(trace.pictures) == 3
    )  # frames 4 and 8 of 2, 4, 6, 8, 10 cannot be shown, and each picture is kept once
    assert film.prepared == ["detect_objects", "get_transcript", "track_entity"]
    again = replay_trace(trace)
    assert again.is_identical, again.difference


def test_a_trace_says_which_loop_ran_on_what(tmp_path: Path, film: FilmWorld) -> None:
    trace = kept(tmp_path, film)
    assert (trace.loop, trace.question, trace.language) == ("solver_checker", "Which animal?", "en")
    assert list(trace.engines) == ["solver", "checker"]
    assert trace.engine == "scripted"
    assert (trace.world.videos, trace.world.has_archive, trace.world.has_pictures) == ((VIDEO,), True, True)
    assert trace.given["may_call_operations"] is True


def test_a_loop_nobody_knows_is_named(tmp_path: Path, film: FilmWorld) -> None:
    trace = kept(tmp_path, film).model_copy(update={"loop": "daydream"})
    with pytest.raises(UnknownName, match=r"daydream.*planner_executor.*solver_checker"):
        replay_trace(trace)


def changed(trace: Trace, **parts: Any) -> Trace:
    return Trace.model_validate({**trace.model_dump(), **parts})


@pytest.mark.parametrize(
    ("part", "word"),
    [
        ("operation", "called with other arguments"),
        ("frames", "frames about"),
        ("picture", "picture of frame"),
        ("model", "is asked where the trace has"),
    ],
)
def test_the_first_step_that_differs_is_named(tmp_path: Path, film: FilmWorld, part: str, word: str) -> None:
    trace = kept(tmp_path, film)
    steps = [step.model_dump() for step in trace.steps]
    place = next(number for number, step in enumerate(steps) if step["kind"] == part)
    field = {"operation": "call", "frames": "count", "picture": "frame_id", "model": "task"}[part]
    other: Any = {"call": {"operation": "other"}, "count": 77, "frame_id": 77, "task": "other.task"}[field]
    steps[place][field] = other
    result = replay_trace(changed(trace, steps=steps))
    assert not result.is_identical
    assert f"step {place + 1}" in result.difference
    assert word in result.difference


def test_a_trace_that_is_cut_short_diverges_or_ends(tmp_path: Path, film: FilmWorld) -> None:
    trace = kept(tmp_path, film)
    steps = [step.model_dump() for step in trace.steps][:-1]
    result = replay_trace(changed(trace, steps=steps))
    assert "goes on where the trace ends" in result.difference
    tape = Tape(changed(trace, steps=[], clock=[], ended="interrupted"))
    with pytest.raises(Ended):
        tape.clock()
    with pytest.raises(Ended):
        tape_world(tape).first_frames(5)


def test_a_template_the_run_did_not_use_diverges(tmp_path: Path, film: FilmWorld) -> None:
    tape = Tape(kept(tmp_path, film))
    assert isinstance(tape.template("solver.system", "en"), Template)
    with pytest.raises(Diverged, match=r"solver\.unknown"):
        tape.template("solver.unknown", "en")


def test_a_plain_world_stays_plain_when_recorded(world: CaptionWorld, film: FilmWorld) -> None:
    recorder = Recorder(started_at=0.0)
    plain = record_world(world, recorder, has_pictures=False)
    assert not isinstance(plain, Archive)
    assert plain.picture_of(1) is None
    shown = record_world(film, recorder, has_pictures=True)
    assert isinstance(shown, Archive)
    assert isinstance(shown, Pictured)


def test_a_recorded_failure_is_raised_again_in_its_family(tmp_path: Path, film: FilmWorld) -> None:
    tape = Tape(kept(tmp_path, film))
    world = tape_world(tape)
    steps = [step for step in tape.trace.steps if step.kind == "operation"]
    raised: list[str] = []
    for step in tape.trace.steps:
        tape._position = tape.trace.steps.index(step)
        if step in steps:
            try:
                world.call(step.call)
            except (OpFailed, OpRetry) as exc:
                raised.append(f"{type(exc).__name__}: {exc}")
    assert raised == ["OpFailed: there is no sound", "OpRetry: entity_id is missing"]


def test_an_engine_that_fails_is_recorded_with_its_prompt() -> None:
    recorder = Recorder(started_at=0.0)
    engine = RecordingEngine(ScriptedEngine([BackendError("gone")]), recorder)
    message = Message(role="user", text="Where?", pictures=(EncodedPicture(data=b"\xff\xd8"),))
    with pytest.raises(BackendError, match="gone"):
        engine.answer(Prompt("any.task", (message,), RunInput(question="?", language="en")))
    (step,) = recorder.steps
    assert step.kind == "model"
    assert (step.task, step.reply) == ("any.task", None)
    assert step.failure is not None
    assert (step.failure.family, step.failure.message) == ("BackendError", "gone")
    assert len(step.messages[0].pictures) == 1


def test_a_replayed_engine_has_the_recorded_capabilities(tmp_path: Path, film: FilmWorld) -> None:
    trace = kept(tmp_path, film)
    card = EngineCard(name="gpt", sees_pictures=True, max_calls=3)
    engine = TapeEngine(Tape(trace), card)
    assert (engine.name, engine.capabilities.sees_pictures, engine.capabilities.max_calls) == ("gpt", True, 3)


def test_halves_of_characters_are_written_as_any_file_takes_them(tmp_path: Path, film: FilmWorld) -> None:
    recorder = Recorder(started_at=0.0)
    name = recorder.text("a \ud83d b")
    trace = recorder.trace(
        "x", {"question": "?", "language": "en"}, {}, world_card(film), [], ended="finished"
    )
    assert json.loads(trace.model_dump_json())["texts"][name] == "a ? b"
