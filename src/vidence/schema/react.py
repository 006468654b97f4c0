"""The ReAct loop over a story: what its agent, grader and refiner are given and give."""

from __future__ import annotations

import json
import re
from typing import Any, Literal, Self

from pydantic import Field

from vidence.schema.agent import AnswerLanguage, AnswerPayload, OperationCall, RunInput
from vidence.schema.evidence import CheckedClaim, EvidenceRecord
from vidence.schema.frozen import Frozen, TextResponse

__all__ = [
    "DIMENSIONS",
    "Grade",
    "GradeScores",
    "GraderReply",
    "GraderVariables",
    "QuestionType",
    "ReActInput",
    "ReActReply",
    "ReActVariables",
    "RefinerReply",
    "RefinerVariables",
    "StoryTurn",
]

QuestionType = Literal["relation", "fact", "journey", "detail"]
DIMENSIONS = ("tool_usage", "evidence", "completeness", "citation", "depth")
_THINK = re.compile(r"<(think|thinking|thought)>.*?</\1>", re.IGNORECASE | re.DOTALL)
_ANSWER = re.compile(
    r"^[ \t*#]*(?:final[ \t]+)?(?:answer|答案|最终答案)[ \t*]*[:：]", re.IGNORECASE | re.MULTILINE
)
_ACTION = re.compile(
    r"^[ \t*#]*(?:action|行动|动作)[ \t*]*[:：][ \t*`]*(\w+)[ \t]*(\(.*)?", re.IGNORECASE | re.MULTILINE
)
_INPUT = re.compile(r"^[ \t*#]*(?:action[ \t]*input|输入|行动输入)[ \t*]*[:：]", re.IGNORECASE | re.MULTILINE)
_OBSERVATION = re.compile(r"^[ \t*#]*(?:observation|观察)[ \t*]*[:：]", re.IGNORECASE | re.MULTILINE)
_THOUGHT = re.compile(r"^[ \t*#]*(?:thought|思考)[ \t*]*[:：][ \t]*", re.IGNORECASE | re.MULTILINE)
_ARGUMENT = re.compile(r"(\w+)\s*=\s*(\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^,()]+)")


class StoryTurn(Frozen):
    """An earlier question of the same conversation and its answer."""

    question: str
    answer: str


class ReActInput(RunInput):
    """What a run over a story is given."""

    story: str
    question_type: QuestionType = "detail"
    names: tuple[str, ...] = ()
    """The names of the story that the question has, in order."""
    tools: tuple[dict[str, Any], ...] = ()
    attempts: int = Field(default=3, ge=1, le=5)
    limits: tuple[int, ...] = (3, 3, 5)
    """How many passages `search_memory` returns in each attempt."""
    turns: tuple[StoryTurn, ...] = ()


class ReActVariables(Frozen):
    """Everything the agent knows at one step; the embedded engine answers from this alone."""

    question: str
    language: AnswerLanguage
    question_type: QuestionType
    names: tuple[str, ...] = ()
    records: tuple[EvidenceRecord, ...] = ()
    """What the tools returned in this and earlier attempts, in order."""
    called: tuple[OperationCall, ...] = ()
    """The calls of this attempt, failed ones too."""
    queries: tuple[str, ...] = ()
    """What the refiner suggests to search for."""
    attempt: int = 1
    limit: int = 3
    must_answer: bool = False
    turns: tuple[StoryTurn, ...] = ()


class ReActReply(TextResponse):
    """One step: a thought, and either a call or an answer."""

    thought: str = ""
    call: OperationCall | None = None
    answer: str | None = None

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read `Thought: … Action: … Action Input: …` or `Thought: … Answer: …`; ValueError for neither."""
        plain = _THINK.sub("", text).strip()
        if made_up := _OBSERVATION.search(plain):
            # A model may go on and make up what the tool says; only the tool says that.
            plain = plain[: made_up.start()]
        action, answer = _ACTION.search(plain), _ANSWER.search(plain)
        if answer and (action is None or answer.start() < action.start()):
            return cls(thought=_thought(plain[: answer.start()]), answer=plain[answer.end() :].strip())
        if action is None:
            raise ValueError("write Action and Action Input, or Answer")
        return cls(
            thought=_thought(plain[: action.start()]),
            call=OperationCall(operation=action[1], arguments=_arguments(plain, action)),
        )


class GradeScores(Frozen):
    """The five dimensions, 0 to 20 each."""

    tool_usage: int = Field(ge=0, le=20)
    evidence: int = Field(ge=0, le=20)
    completeness: int = Field(ge=0, le=20)
    citation: int = Field(ge=0, le=20)
    depth: int = Field(ge=0, le=20)

    @property
    def total(self) -> int:
        return sum(getattr(self, name) for name in DIMENSIONS)


class Grade(Frozen):
    """The verdict on one answer, with what it was counted from."""

    score: int
    scores: GradeScores
    passed: bool
    question_type: QuestionType
    suggestion: str = ""
    counts: dict[str, float] = Field(default_factory=dict)
    unsupported: tuple[str, ...] = ()
    """Claims that nothing cited proves; reported apart from contradictions."""
    contradicted: tuple[str, ...] = ()
    """Claims that what they cite refutes: the seed's only hallucination."""


class GraderVariables(Frozen):
    """What a language model that grades is shown."""

    question: str
    language: AnswerLanguage
    question_type: QuestionType
    answer: AnswerPayload
    claims: tuple[CheckedClaim, ...] = ()
    observations: tuple[str, ...] = ()
    """Cut at 2,000 characters each."""
    counted: Grade


class GraderReply(Frozen):
    """What a language model that grades writes."""

    scores: GradeScores
    suggestion: str = ""


class RefinerVariables(Frozen):
    """What the refiner is given."""

    question: str
    language: AnswerLanguage
    question_type: QuestionType
    names: tuple[str, ...] = ()
    suggestion: str = ""
    seen: tuple[str, ...] = ()
    """Quotations already found."""
    tried: tuple[str, ...] = ()
    """Queries already searched for."""


class RefinerReply(Frozen):
    """Two or three queries to search for next."""

    queries: tuple[str, ...] = Field(default=(), max_length=3)


def _thought(text: str) -> str:
    return " ".join(_THOUGHT.sub("", text).split())


def _arguments(text: str, action: re.Match[str]) -> dict[str, Any]:
    """Return the arguments of a call: a JSON object, or `name="value"` as in a call of a function."""
    given = _INPUT.search(text, action.end())
    body = text[given.end() :] if given else (action[2] or text[action.end() :])
    start = body.find("{")
    if start >= 0:
        try:
            value, _ = json.JSONDecoder(strict=False).raw_decode(body[start:])
            return value if isinstance(value, dict) else {}
        except ValueError:
            pass
    return {name: _value(raw.strip()) for name, raw in _ARGUMENT.findall(body.split("\n")[0])}


def _value(raw: str) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return raw.strip("'\"")
