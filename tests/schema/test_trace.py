"""A trace as JSON: every step keeps its kind, and other versions are refused."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from vidence.schema.agent import MemoryUnit, OperationCall
from vidence.schema.engine import EngineCard
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.message import EncodedPicture
from vidence.schema.trace import (
    TRACE_VERSION,
    Failure,
    FramesStep,
    LookupStep,
    MessageRef,
    ModelStep,
    OperationStep,
    PictureStep,
    Trace,
    TraceStep,
    WorldCard,
)

FRAME = MemoryUnit(frame_id=1, caption="一只狗", timestamp_s=0.5)
STEPS: tuple[TraceStep, ...] = (
    FramesStep(is_first=True, count=5, frames=(FRAME,), num_unseen=9),
    ModelStep(
        task="solver.step",
        messages=(MessageRef(role="user", text="sha_t"),),
        prompt_sha256="sha_p",
        reply="sha_r",
        engine="gpt",
    ),
    OperationStep(
        call=OperationCall(operation="get_transcript", arguments={"video_id": "vid_1"}),
        record=EvidenceRecord(record_id="rec_1", kind="operation", source="get_transcript", result=[1, "二"]),
    ),
    OperationStep(
        call=OperationCall(operation="x"), failure=Failure(family="OpRetry", message="no such operation")
    ),
    LookupStep(record_id="rec_1", stored_hash=None),
    PictureStep(frame_id=1, picture="sha_i"),
)


def trace(**more: Any) -> Trace:
    fields: dict[str, Any] = {
        "vidence": "1.0",
        "started_at": 1.5,
        "loop": "solver_checker",
        "given": {"question": "几只狗？", "language": "zh"},
        "engines": {"solver": EngineCard(name="big"), "checker": EngineCard(name="small")},
        "world": WorldCard(),
        "steps": STEPS,
        "pictures": {"sha_i": EncodedPicture(data=b"\xff\xd8")},
    }
    return Trace(**{**fields, **more})


def test_a_trace_read_back_is_the_same_with_every_kind_of_step() -> None:
    again = Trace.model_validate_json(trace().model_dump_json())
    assert again == trace()
    assert [type(step) for step in again.steps] == [type(step) for step in STEPS]


@pytest.mark.parametrize("step", STEPS)
def test_a_step_s_kind_decides_how_it_is_read(step: TraceStep) -> None:
    adapter: TypeAdapter[TraceStep] = TypeAdapter(TraceStep)
    assert adapter.validate_json(adapter.dump_json(step)) == step


@pytest.mark.parametrize("kind", ["dream", "", None])
def test_a_step_of_an_unknown_kind_is_refused(kind: str | None) -> None:
    adapter: TypeAdapter[TraceStep] = TypeAdapter(TraceStep)
    with pytest.raises(ValidationError):
        adapter.validate_python({"kind": kind, "record_id": "rec_1", "stored_hash": None})


@pytest.mark.parametrize("version", [1, 3, "2x"])
def test_a_trace_of_another_version_is_refused(version: object) -> None:
    held = {**trace().model_dump(mode="json"), "version": version}
    with pytest.raises(ValidationError, match="version"):
        Trace.model_validate(held)
    assert Trace.model_validate({**held, "version": TRACE_VERSION}) == trace()


def test_a_trace_tells_its_question_language_and_main_engine() -> None:
    assert (trace().question, trace().language, trace().engine) == ("几只狗？", "zh", "big")
    english = trace(given={"question": "How many?", "language": "en"})
    assert (english.question, english.language) == ("How many?", "en")


@pytest.mark.parametrize("family", ["VidenceError", "ValueError", ""])
def test_a_failure_belongs_to_who_can_act_on_it(family: str) -> None:
    with pytest.raises(ValidationError):
        Failure.model_validate({"family": family, "message": "x"})


def test_a_trace_ends_in_one_of_three_ways() -> None:
    assert trace().ended == "finished"
    assert trace(ended="interrupted").answer is None
    with pytest.raises(ValidationError):
        trace(ended="lost")
