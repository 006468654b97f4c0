"""What a Solver and a Checker may write, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from vidence.schema.agent import (
    AgentAnswer,
    AnswerPayload,
    Budget,
    CallPayload,
    CheckerResponse,
    MemoryUnit,
    RetrievePayload,
    RunInput,
    SolverResponse,
)


def reply(action: str, **payload: Any) -> dict[str, Any]:
    return {"thought_summary": "so", "action_type": action, "action_payload": payload}


@pytest.mark.parametrize(
    ("action", "payload", "kind"),
    [
        ("retrieve_more_frames", {"count": 3, "focus": "红色的门"}, RetrievePayload),
        ("retrieve_more_frames", {}, RetrievePayload),
        ("answer_question", {"final_answer": "三个人"}, AnswerPayload),
        ("call_operations", {"calls": [{"operation": "get_transcript"}]}, CallPayload),
    ],
)
def test_a_payload_is_read_as_its_action_s_own_kind(action: str, payload: Any, kind: type) -> None:
    assert type(SolverResponse.model_validate(reply(action, **payload)).action_payload) is kind


def test_a_payload_with_the_fields_of_two_actions_is_that_of_the_named_one() -> None:
    mixed = {"count": 2, "final_answer": "a dog", "calls": [{"operation": "x"}]}
    asked = SolverResponse.model_validate(reply("retrieve_more_frames", **mixed)).action_payload
    told = SolverResponse.model_validate(reply("answer_question", **mixed)).action_payload
    assert asked == RetrievePayload(count=2)
    assert told == AnswerPayload(final_answer="a dog")


@pytest.mark.parametrize(
    "data",
    [
        reply("answer_question", count=5),
        reply("answer_question", final_answer="x", probability=1.2),
        reply("call_operations", calls=[]),
        reply("call_operations", final_answer="x"),
        reply("retrieve_more_frames", count="many"),
        reply("write_memory", content="x"),
        {"action_type": "answer_question", "action_payload": "a dog"},
        {"action_payload": {"final_answer": "x"}},
        ["answer_question"],
    ],
)
def test_a_reply_that_fits_no_action_is_refused(data: Any) -> None:
    with pytest.raises(ValidationError):
        SolverResponse.model_validate(data)


def test_the_schema_couples_each_action_with_its_payload() -> None:
    schema = SolverResponse.model_json_schema()
    pairs = {
        one["properties"]["action_type"]["const"]: one["properties"]["action_payload"]["$ref"]
        for one in schema["anyOf"]
    }
    assert pairs == {
        "retrieve_more_frames": "#/$defs/RetrievePayload",
        "answer_question": "#/$defs/AnswerPayload",
        "call_operations": "#/$defs/CallPayload",
    }
    assert all("action_payload" in one["required"] for one in schema["anyOf"])


def test_a_reply_survives_being_written_and_read() -> None:
    told = SolverResponse.model_validate(
        reply(
            "answer_question",
            final_answer="狗",
            claims=[{"text": "一只狗", "citations": [{"record_id": "frame_4", "quote": "dog"}]}],
        )
    )
    assert SolverResponse.model_validate_json(told.model_dump_json()) == told


@pytest.mark.parametrize("score", [1, 3, 5])
def test_a_score_from_one_to_five_is_taken(score: int) -> None:
    assert CheckerResponse(confidence_score=score).confidence_score == score


@pytest.mark.parametrize("score", [0, 6, -1, 4.5, "high", None])
def test_a_score_outside_one_to_five_is_refused(score: Any) -> None:
    with pytest.raises(ValidationError):
        CheckerResponse.model_validate({"confidence_score": score})


@pytest.mark.parametrize(
    "limits", [{"steps": 0}, {"llm_calls": 0}, {"frames": -1}, {"tokens": 0}, {"seconds": 0}]
)
def test_a_budget_of_nothing_is_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Budget(**limits)


def test_without_limits_only_the_steps_are_limited() -> None:
    budget = Budget()
    assert budget.steps == 10
    assert {budget.llm_calls, budget.frames, budget.tokens, budget.seconds} == {None}


def test_a_run_answers_in_english_or_chinese_only() -> None:
    assert RunInput(question="几个人？", language="zh").options == ()
    with pytest.raises(ValidationError):
        RunInput.model_validate({"question": "Combien?", "language": "fr"})


@pytest.mark.parametrize(
    "wrong", [{"probability": 1.01}, {"probability": -0.1}, {"confidence_score": 0}, {"status": "maybe"}]
)
def test_an_answer_with_an_impossible_field_is_refused(wrong: dict[str, Any]) -> None:
    fields = {"question": "q", "language": "en", "status": "answered", "answer": "a"}
    good = {**fields, "confidence_score": 4, "probability": 0.7}
    assert AgentAnswer.model_validate(good).passed is False
    with pytest.raises(ValidationError):
        AgentAnswer.model_validate({**good, **wrong})


def test_equal_frames_are_one_in_a_set_and_cannot_be_changed() -> None:
    one, same = MemoryUnit(frame_id=1, caption="a"), MemoryUnit(frame_id=1, caption="a")
    assert {one, same} == {one}
    with pytest.raises(ValidationError):
        one.caption = "b"


def test_the_schema_of_a_reply_is_json() -> None:
    assert json.loads(json.dumps(SolverResponse.model_json_schema())) == SolverResponse.model_json_schema()
