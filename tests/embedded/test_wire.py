"""What the embedded engine reads and writes is what a language model would."""

from __future__ import annotations

import pytest

from vidence.embedded.recipes.recipe import Finding
from vidence.embedded.wire import (
    bounded,
    call_reply,
    finding_reply,
    json_reply,
    read_variables,
    retrieve_reply,
)
from vidence.llm.structured import parse_reply
from vidence.prompts import Prompt
from vidence.schema.agent import (
    AnswerPayload,
    CallPayload,
    CheckerResponse,
    CheckerVariables,
    OperationCall,
    RetrievePayload,
    SolverResponse,
    SolverVariables,
)
from vidence.schema.evidence import Citation, Claim

VARIABLES = SolverVariables(question="How many?", language="en")


def test_variables_come_back_as_the_type_the_task_needs() -> None:
    prompt = Prompt(task="solver.step", messages=(), variables=VARIABLES)
    assert read_variables(prompt, SolverVariables) is VARIABLES
    with pytest.raises(TypeError, match=r"solver\.step needs CheckerVariables, not SolverVariables"):
        read_variables(prompt, CheckerVariables)


def test_calls_are_asked_for_in_the_solvers_format() -> None:
    calls = [OperationCall(operation="get_transcript", arguments={"video_id": "vid_1"})]
    reply = call_reply("Listening.", calls)
    assert reply.startswith("Listening.\n\n```json\n")
    read = parse_reply(reply, SolverResponse).value
    assert read.action_payload == CallPayload(calls=tuple(calls))


def test_frames_are_asked_for_in_the_solvers_format() -> None:
    read = parse_reply(retrieve_reply("More.", 4, "the dog"), SolverResponse).value
    assert read.action_type == "retrieve_more_frames"
    assert read.action_payload == RetrievePayload(count=4, focus="the dog")


def test_a_finding_becomes_an_answer_with_its_claims() -> None:
    claim = Claim(text="It is red.", citations=(Citation(record_id="rec_1"),))
    read = parse_reply(
        finding_reply("Red.", Finding("Red.", 0.71234, (claim,), "Seen.")), SolverResponse
    ).value
    assert read.action_payload == AnswerPayload(
        final_answer="Red.", explanation="Seen.", claims=(claim,), probability=0.712
    )


@pytest.mark.parametrize(
    ("probability", "reported"), [(0.5, 0.5), (0.0, 0.01), (1.0, 0.99), (-3.0, 0.01), (0.12345, 0.123)]
)
def test_a_probability_is_never_certain(probability: float, reported: float) -> None:
    assert bounded(probability) == reported


def test_any_model_is_written_as_one_json_block() -> None:
    reply = json_reply("4/5.", CheckerResponse(confidence_score=4))
    assert parse_reply(reply, CheckerResponse).value.confidence_score == 4
