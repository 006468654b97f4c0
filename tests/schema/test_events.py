"""The events of a run: one stream whose kinds are told apart when it is read back."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from vidence.schema.agent import (
    AgentAnswer,
    AnswerPayload,
    Budget,
    CheckerResponse,
    MemoryUnit,
    OperationCall,
    Spent,
)
from vidence.schema.briefing import Briefing
from vidence.schema.events import (
    AnswerProposed,
    Briefed,
    Checked,
    FramesFetched,
    Graded,
    OperationAnswered,
    OperationCalled,
    Refined,
    RunFinished,
    RunStarted,
    Spending,
    StepEvent,
    StepFailed,
    Thinking,
    Thought,
    Working,
)
from vidence.schema.message import Usage
from vidence.schema.react import Grade, GradeScores
from vidence.schema.thought import AgentPhase, ThoughtStep

ADAPTER: TypeAdapter[StepEvent] = TypeAdapter(StepEvent)
ANSWER = AgentAnswer(
    question="几个人？", language="zh", status="answered", answer="三个", confidence_score=4, probability=0.7
)
EVENTS: tuple[StepEvent, ...] = (
    RunStarted(question="几个人？", engine="embedded", videos=("vid_1",)),
    Working(what="reading", progress=0.5),
    Thinking(step=1, text="Let me look"),
    FramesFetched(step=1, focus="人", frames=(MemoryUnit(frame_id=1, caption="三个人"),)),
    OperationCalled(step=1, call=OperationCall(operation="get_transcript")),
    OperationAnswered(step=1, operation="get_transcript", record_id="rec_1", brief="“hello”"),
    Spending(step=2, spent=Spent(llm_calls=1, usage=Usage(input_tokens=9, usd=0.1)), budget=Budget()),
    AnswerProposed(step=2, answer=AnswerPayload(final_answer="三个")),
    Checked(step=2, verdict=CheckerResponse(confidence_score=4)),
    Graded(
        step=2,
        attempt=1,
        grade=Grade(
            score=50,
            scores=GradeScores(tool_usage=10, evidence=10, completeness=10, citation=10, depth=10),
            passed=False,
            question_type="fact",
        ),
    ),
    Refined(step=2, attempt=1, queries=("林黛玉",)),
    StepFailed(step=2, problem="no valid JSON"),
    Thought(
        step=1,
        thought=ThoughtStep(
            step_id="step_001",
            phase=AgentPhase.PLANNING,
            timestamp=datetime(2025, 1, 20, tzinfo=UTC),
            thought="Planning",
        ),
    ),
    Briefed(
        step=2,
        briefing=Briefing(command="关注大模型", subject="大模型", language="zh", day=date(2025, 1, 20)),
    ),
    RunFinished(step=2, answer=ANSWER),
)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.kind)
def test_an_event_read_back_is_the_same(event: StepEvent) -> None:
    again = ADAPTER.validate_json(ADAPTER.dump_json(event))
    assert again == event
    assert type(again) is type(event)


def test_every_kind_of_event_is_here_and_no_two_share_a_name() -> None:
    union = get_args(get_args(StepEvent)[0])
    assert {type(event) for event in EVENTS} == set(union)
    assert len({event.kind for event in EVENTS}) == len(union)


@pytest.mark.parametrize("data", [{"kind": "dreaming"}, {"text": "x"}, {"kind": "thinking"}])
def test_an_unknown_or_incomplete_event_is_refused(data: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        ADAPTER.validate_python(data)


def test_what_happens_before_the_first_step_is_step_zero() -> None:
    assert Working(what="indexing", progress=0.0).step == 0
