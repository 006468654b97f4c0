"""What a planner writes: a tool, its arguments and the final output, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from vidence.schema.planning import ContentAnalysis, FinalOutput, PlanVariables, QueryAnalysis, ToolCommand


@pytest.mark.parametrize("missing", ["sub_goal", "tool_name"])
def test_an_analysis_must_say_what_to_do_and_with_which_tool(missing: str) -> None:
    whole = {"sub_goal": "数一数人", "tool_name": "detect_objects"}
    assert QueryAnalysis.model_validate(whole).relevant_tools == ()
    with pytest.raises(ValidationError, match=missing):
        QueryAnalysis.model_validate({name: text for name, text in whole.items() if name != missing})


@pytest.mark.parametrize("calls", [[], [{}] * 101, ["x"], None])
def test_a_command_holds_one_to_a_hundred_calls(calls: Any) -> None:
    assert len(ToolCommand(calls=({"timestamp": 1.0},) * 100).calls) == 100
    with pytest.raises(ValidationError):
        ToolCommand.model_validate({"calls": calls})


@pytest.mark.parametrize("probability", [-0.1, 1.1, "likely"])
def test_an_output_s_probability_lies_between_zero_and_one(probability: Any) -> None:
    assert FinalOutput(answer="三个", probability=1.0).cannot_tell is False
    with pytest.raises(ValidationError):
        FinalOutput.model_validate({"answer": "three", "probability": probability})


def test_an_output_keeps_its_claims_and_citations() -> None:
    told = FinalOutput.model_validate(
        {"answer": "a", "claims": [{"text": "a", "citations": [{"record_id": "rec_1", "start_time": 2}]}]}
    )
    assert told.claims[0].citations[0].start_time == 2.0
    assert FinalOutput.model_validate_json(told.model_dump_json()) == told


def test_an_analysis_of_a_text_may_leave_out_everything() -> None:
    assert set(ContentAnalysis().model_dump().values()) == {None}


@pytest.mark.parametrize("importance", [-1, 2])
def test_importance_lies_between_zero_and_one(importance: float) -> None:
    with pytest.raises(ValidationError):
        ContentAnalysis(importance=importance)


def test_a_planner_without_anything_still_has_a_question() -> None:
    plan = PlanVariables(question="Where is the cat?", language="en")
    assert (plan.tools, plan.videos, plan.memories, plan.steps_left) == ((), (), (), 0)
    with pytest.raises(ValidationError):
        PlanVariables.model_validate({"language": "en"})
