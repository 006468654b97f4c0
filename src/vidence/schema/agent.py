"""The protocols of the Solver/Checker loop: what goes to a model and what must come back."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from vidence.schema.evidence import CheckedClaim, Claim, EvidenceRecord
from vidence.schema.frozen import Frozen
from vidence.schema.language import AnswerLanguage
from vidence.schema.message import Usage
from vidence.schema.reading import ReaderReply, ReaderVariables

__all__ = [
    "PASS_SCORE",
    "AgentAnswer",
    "AnswerLanguage",
    "AnswerPayload",
    "AnswerStatus",
    "Budget",
    "CallPayload",
    "CheckerResponse",
    "CheckerVariables",
    "MemoryUnit",
    "OperationCall",
    "OperationCard",
    "ReadPayload",
    "RetrievePayload",
    "RunInput",
    "SolverResponse",
    "SolverVariables",
    "Spent",
    "VideoCard",
]

AnswerStatus = Literal["answered", "cannot_tell", "failed"]
PASS_SCORE = 4
"""The Checker's score from which an answer is accepted."""


class MemoryUnit(Frozen):
    """One frame of the video in words."""

    frame_id: int
    caption: str
    timestamp_s: float | None = None
    """When the frame is shown, where that is known."""
    video_id: str | None = None
    """The video it is of, where there is one."""


class VideoCard(Frozen):
    """What an agent is told about a video before it looks."""

    video_id: str
    name: str
    duration_s: float
    has_audio: bool = True


class OperationCall(Frozen):
    """One atomic operation the Solver asks for."""

    operation: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class RetrievePayload(Frozen):
    """`retrieve_more_frames`: how many, and looking for what."""

    count: int = 5
    focus: str | None = None


class CallPayload(Frozen):
    """`call_operations`: questions to the video world, answered in order, where the caller allows it."""

    calls: tuple[OperationCall, ...] = Field(min_length=1)


class ReadPayload(Frozen):
    """`read_notes`: notes for the reader of the run; only engines that do not read themselves ask for it."""

    reading: ReaderVariables


class AnswerPayload(Frozen):
    """`answer_question`: the answer, why, and what proves it."""

    final_answer: str
    explanation: str = ""
    option: int | None = None
    """Index of the chosen option, 0-based, where options were given."""
    claims: tuple[Claim, ...] = ()
    probability: float | None = Field(default=None, ge=0, le=1)
    """How probable the Solver itself holds its answer, where it can say."""
    cannot_tell: bool = False
    """True when the answer is that the video does not say."""


def _couple(schema: dict[str, Any]) -> None:
    """Say in the schema too that each action has its own payload: a model held to it cannot mix them up.

    `read_notes` is left out: a model reads for itself.
    """
    fields = schema.pop("properties")
    schema.pop("required")
    refs = fields["action_payload"]["anyOf"][:3]
    schema["anyOf"] = [
        {
            "type": "object",
            "properties": {
                "thought_summary": fields["thought_summary"],
                "action_type": {"const": action, "type": "string"},
                "action_payload": ref,
            },
            "required": ["thought_summary", "action_type", "action_payload"],
        }
        for action, ref in zip(
            ("retrieve_more_frames", "answer_question", "call_operations"), refs, strict=True
        )
    ]


class SolverResponse(Frozen):
    """What a Solver writes after its thinking, as one JSON block."""

    model_config = ConfigDict(frozen=True, json_schema_extra=_couple)

    thought_summary: str = ""
    action_type: Literal["retrieve_more_frames", "answer_question", "call_operations", "read_notes"]
    action_payload: RetrievePayload | AnswerPayload | CallPayload | ReadPayload

    @model_validator(mode="before")
    @classmethod
    def _payload_of_its_action(cls, data: Any) -> Any:
        """Read the payload as the action's own kind, so that one is never mistaken for another."""
        kinds: dict[str, type[BaseModel]] = {
            "retrieve_more_frames": RetrievePayload,
            "answer_question": AnswerPayload,
            "call_operations": CallPayload,
            "read_notes": ReadPayload,
        }
        if isinstance(data, dict) and isinstance(data.get("action_payload"), dict):
            kind = kinds.get(str(data.get("action_type")))
            if kind is not None:
                return {**data, "action_payload": kind.model_validate(data["action_payload"])}
        return data


class CheckerResponse(Frozen):
    """What a Checker writes."""

    confidence_score: Annotated[int, Field(ge=1, le=5)]
    feedback: str = ""


class OperationCard(Frozen):
    """An operation or a tool as a language model is shown it."""

    name: str
    line: str
    """Its name, its arguments with their types, and its purpose."""
    details: str
    """The same, with what each argument means."""
    is_relevant: bool = False
    """Whether the question is likely to need it: then the details are shown from the beginning."""


class SolverVariables(Frozen):
    """Everything a Solver knows at one step; the embedded engine answers from this alone."""

    question: str
    language: AnswerLanguage
    options: tuple[str, ...] = ()
    videos: tuple[VideoCard, ...] = ()
    """Empty when there is no video behind the captions."""
    memory: tuple[MemoryUnit, ...] = ()
    records: tuple[EvidenceRecord, ...] = ()
    """The ledger so far: frames and operation results, in order."""
    failed_calls: tuple[tuple[OperationCall, str], ...] = ()
    """Calls that could not be answered, with what was wrong."""
    feedback: tuple[str, ...] = ()
    """What the Checker said of earlier answers, oldest first."""
    may_call_operations: bool = False
    may_read: bool = False
    """Whether the run has a reader that notes can be given to."""
    reading: ReaderReply | None = None
    """What the reader answered, once it was asked."""
    choice: tuple[float, ...] = ()
    """The reader's probability of each option, once it was asked to choose."""
    tools: tuple[dict[str, Any], ...] = ()
    """The tools that may be called beside the operations, as their files define them."""
    step: int = 1
    steps_left: int = 10
    frames_left: int | None = None
    num_frames_unseen: int | None = None


class CheckerVariables(Frozen):
    """Everything a Checker is shown: never the Solver's history."""

    question: str
    language: AnswerLanguage
    options: tuple[str, ...] = ()
    videos: tuple[VideoCard, ...] = ()
    memory: tuple[MemoryUnit, ...] = ()
    records: tuple[EvidenceRecord, ...] = ()
    answer: AnswerPayload
    claims: tuple[CheckedClaim, ...] = ()
    """The answer's claims with what the verifier found."""


class Budget(Frozen):
    """Hard limits of one run; None means no limit of that kind."""

    steps: int = Field(default=10, ge=1)
    llm_calls: int | None = Field(default=None, ge=1)
    frames: int | None = Field(default=None, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    seconds: float | None = Field(default=None, gt=0)


class RunInput(Frozen):
    """What every run is given; a loop adds fields of its own."""

    question: str
    language: AnswerLanguage
    options: tuple[str, ...] = ()
    budget: Budget = Budget()
    gaps: tuple[str, ...] = ()
    """What is known to be missing before the run begins."""


class Spent(Frozen):
    """What a run has used up."""

    steps: int = 0
    llm_calls: int = 0
    frames: int = 0
    operations: int = 0
    usage: Usage = Usage()
    seconds: float = 0.0


class AgentAnswer(Frozen):
    """The result of a run; it holds verified evidence only."""

    question: str
    language: AnswerLanguage
    status: AnswerStatus
    answer: str
    explanation: str = ""
    option: int | None = None
    confidence_score: int = Field(ge=1, le=5)
    probability: float = Field(ge=0, le=1)
    """The confidence as a calibrated probability of being right."""
    claims: tuple[CheckedClaim, ...] = ()
    evidence: tuple[EvidenceRecord, ...] = ()
    """The records the claims cite."""
    videos: tuple[VideoCard, ...] = ()
    """The videos that were looked at; evidence says which of them it is from."""
    gaps: tuple[str, ...] = ()
    """What was not looked at or failed, in words."""
    passed: bool = False
    """True when the Checker accepted it; False for the best answer at a limit."""
    engine: str = ""
    spent: Spent = Spent()
    trace_id: str | None = None
