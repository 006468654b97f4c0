"""The record of one run: everything that came in from outside, so that the run can be repeated exactly.

Each text and picture is stored once, under its sha256; everything else refers to it by that.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from vidence.schema.agent import (
    AgentAnswer,
    AnswerLanguage,
    MemoryUnit,
    OperationCall,
    VideoCard,
)
from vidence.schema.engine import EngineCard
from vidence.schema.events import StepEvent
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.frozen import Frozen
from vidence.schema.message import EncodedPicture, Role, Usage

__all__ = [
    "TRACE_VERSION",
    "Failure",
    "FramesStep",
    "LookupStep",
    "MessageRef",
    "ModelStep",
    "OperationStep",
    "PictureStep",
    "TemplateRef",
    "Trace",
    "TraceEnd",
    "TraceStep",
    "WorldCard",
]

TRACE_VERSION: Literal[2] = 2
TraceEnd = Literal["finished", "failed", "interrupted"]
Family = Literal["BackendError", "OpRetry", "OpFailed", "UserError"]


class Failure(Frozen):
    """What went wrong outside, by who can act on it."""

    family: Family
    message: str
    error_type: str | None = None
    """How a service failed, where that is known."""
    service: str = ""
    attempts: int = 1


class MessageRef(Frozen):
    """One turn of a conversation, its words and pictures named by sha256."""

    role: Role
    text: str
    pictures: tuple[str, ...] = ()


class TemplateRef(Frozen):
    """A template, its words named by sha256."""

    template_id: str
    language: str
    sha256: str


class ModelStep(Frozen):
    """One call of an engine."""

    kind: Literal["model"] = "model"
    task: str
    messages: tuple[MessageRef, ...]
    prompt_sha256: str
    templates: tuple[TemplateRef, ...] = ()
    timeout_s: float | None = None
    reply: str | None = None
    """The reply's text, named by sha256."""
    engine: str = ""
    """The engine that really answered."""
    usage: Usage = Usage()
    seconds: float = 0.0
    truncated: bool = False
    confidence: float | None = None
    failure: Failure | None = None


class FramesStep(Frozen):
    """One fetch of frames."""

    kind: Literal["frames"] = "frames"
    is_first: bool
    count: int
    focus: str | None = None
    frames: tuple[MemoryUnit, ...] = ()
    records: tuple[EvidenceRecord, ...] = ()
    num_unseen: int | None = None
    failure: Failure | None = None


class OperationStep(Frozen):
    """One operation and its result."""

    kind: Literal["operation"] = "operation"
    call: OperationCall
    record: EvidenceRecord | None = None
    failure: Failure | None = None


class LookupStep(Frozen):
    """One look into the workspace's ledger."""

    kind: Literal["lookup"] = "lookup"
    record_id: str
    stored_hash: str | None


class PictureStep(Frozen):
    """One frame shown to an engine that sees."""

    kind: Literal["picture"] = "picture"
    frame_id: int
    picture: str | None
    """Its bytes, named by sha256."""


TraceStep = Annotated[
    ModelStep | FramesStep | OperationStep | LookupStep | PictureStep, Field(discriminator="kind")
]


class WorldCard(Frozen):
    """A world as the loop sees it before it looks."""

    videos: tuple[VideoCard, ...] = ()
    num_unseen: int | None = None
    has_archive: bool = False
    """The world keeps its records where they can be looked up again."""
    has_pictures: bool = False
    """The world can show its frames."""


class Trace(Frozen):
    """One run, whole."""

    version: Literal[2] = TRACE_VERSION
    vidence: str
    """The version that wrote it."""
    started_at: float
    """Unix time; with the clock's readings the only wall-clock in here."""
    loop: str
    """The loop that ran, by name."""
    given: dict[str, Any]
    """The loop's typed input, as JSON."""
    engines: dict[str, EngineCard]
    """The engines by role, the loop's main one first."""
    world: WorldCard
    steps: tuple[TraceStep, ...] = ()
    events: tuple[StepEvent, ...] = ()
    """What the run told, except pieces of thinking and progress."""
    clock: tuple[float, ...] = ()
    """Every reading of the clock, in seconds from the first."""
    cancelled_at: int | None = None
    """The reading of the cancel signal that was the first to say yes."""
    templates: tuple[TemplateRef, ...] = ()
    texts: dict[str, str] = Field(default_factory=dict)
    pictures: dict[str, EncodedPicture] = Field(default_factory=dict)
    ended: TraceEnd = "finished"
    error: str | None = None
    answer: AgentAnswer | None = None

    @property
    def question(self) -> str:
        return str(self.given["question"])

    @property
    def language(self) -> AnswerLanguage:
        return "zh" if self.given["language"] == "zh" else "en"

    @property
    def engine(self) -> str:
        """The name of the loop's main engine."""
        return next(iter(self.engines.values())).name
