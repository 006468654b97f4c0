"""Replaying a trace: an engine, a world and a clock that return what was recorded.

Each demands that the run does what the recorded run did, in the same order; the first difference is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from vidence.errors import BackendError, ErrorType, OpFailed, OpRetry, ServiceError, UserError
from vidence.llm.base import EngineBase
from vidence.llm.protocol import OnText, Reply
from vidence.prompts import Prompt, Template
from vidence.schema.agent import MemoryUnit, OperationCall, VideoCard
from vidence.schema.engine import EngineCard
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.message import EncodedPicture
from vidence.schema.trace import (
    Failure,
    FramesStep,
    LookupStep,
    ModelStep,
    OperationStep,
    PictureStep,
    Trace,
)

__all__ = ["Diverged", "Ended", "Tape", "TapeEngine", "tape_world"]

Step = TypeVar("Step", ModelStep, FramesStep, OperationStep, LookupStep, PictureStep)
_FAMILIES = {"BackendError": BackendError, "OpRetry": OpRetry, "OpFailed": OpFailed, "UserError": UserError}


class Diverged(BaseException):
    """The repeated run did something the recorded one did not; no handler of errors may take it."""


class Ended(BaseException):
    """The recorded run was cut off here; the repeated one stops at the same place, past every handler."""


class Tape:
    """The steps of a trace, given out one by one."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._position = 0
        self._readings = 0
        self._cancels = 0

    def next(self, kind: type[Step]) -> Step:
        """Return the next step, which must be of this kind."""
        steps = self.trace.steps
        if self._position >= len(steps):
            if self.trace.ended != "finished":
                raise Ended
            raise Diverged(f"the run goes on where the trace ends (after {len(steps)} steps)")
        step = steps[self._position]
        self._position += 1
        if not isinstance(step, kind):
            raise Diverged(f"step {self._position} is a {step.kind}, the run wants another")
        return step

    def differs(self, what: str) -> Diverged:
        """Return the error that says where the run left the trace."""
        return Diverged(f"step {self._position}: {what}")

    def text(self, name: str) -> str:
        """Return a text by its name."""
        if name not in self.trace.texts:
            raise Diverged(f"the trace lacks the text {name[:12]}")
        return self.trace.texts[name]

    def clock(self) -> float:
        """Return the next reading of the clock."""
        if self._readings >= len(self.trace.clock):
            if self.trace.ended != "finished":
                raise Ended
            raise Diverged("the run reads the clock more often than the recorded one")
        self._readings += 1
        return self.trace.clock[self._readings - 1]

    def cancelled(self) -> bool:
        """Tell whether the recorded run had been told to stop at this point."""
        at = self.trace.cancelled_at
        self._cancels += 1
        return at is not None and self._cancels - 1 >= at

    def template(self, template_id: str, language: str) -> Template:
        """Return a template as it was then."""
        for ref in self.trace.templates:
            if ref.template_id == template_id:
                return Template(template_id, ref.language, self.text(ref.sha256))
        if self.trace.ended != "finished":
            raise Ended
        raise Diverged(f"the recorded run did not use the template {template_id!r} ({language})")


class TapeEngine(EngineBase):
    """Gives the recorded replies to the recorded prompts; no model is called."""

    def __init__(self, tape: Tape, card: EngineCard) -> None:
        super().__init__(card.name, card)
        self._tape = tape

    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Return the next recorded reply; it must have been given to a prompt of the same task and length."""
        step = self._tape.next(ModelStep)
        if step.task != prompt.task or len(step.messages) != len(prompt.messages):
            raise self._tape.differs(f"{prompt.task} is asked where the trace has {step.task}")
        if step.failure is not None:
            raise _error(step.failure)
        if step.reply is None:
            raise Ended
        return Reply(
            text=self._tape.text(step.reply),
            usage=step.usage,
            seconds=step.seconds,
            engine=step.engine,
            truncated=step.truncated,
            confidence=step.confidence,
        )


def tape_world(tape: Tape) -> TapeWorld:
    """Return the world of a trace."""
    return (_TapeArchive if tape.trace.world.has_archive else TapeWorld)(tape)


class TapeWorld:
    """Gives the recorded frames and results."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._unseen = tape.trace.world.num_unseen
        self._records: dict[str, EvidenceRecord] = {}

    @property
    def videos(self) -> tuple[VideoCard, ...]:
        return self._tape.trace.world.videos

    @property
    def num_unseen(self) -> int | None:
        return self._unseen

    def first_frames(self, count: int) -> list[MemoryUnit]:
        """Return the recorded first frames."""
        return self._frames(count, None, is_first=True)

    def fetch_new_frames(self, count: int, focus: str | None = None) -> list[MemoryUnit]:
        """Return the recorded new frames."""
        return self._frames(count, focus, is_first=False)

    def call(self, call: OperationCall) -> EvidenceRecord:
        """Return the recorded result."""
        step = self._tape.next(OperationStep)
        if step.call != call:
            raise self._tape.differs(f"{call.operation} is called with other arguments")
        if step.failure is not None:
            raise _error(step.failure)
        if step.record is None:
            raise Ended
        return step.record

    def frame_records(self, frame_ids: Sequence[int]) -> list[EvidenceRecord]:
        """Return the recorded frames as records."""
        names = [f"frame_{frame}" for frame in frame_ids]
        return [self._records[name] for name in names if name in self._records]

    def picture_of(self, frame_id: int) -> EncodedPicture | None:
        """Return the recorded picture."""
        step = self._tape.next(PictureStep)
        if step.frame_id != frame_id:
            raise self._tape.differs(f"the picture of frame {frame_id} is asked for")
        return None if step.picture is None else self._tape.trace.pictures.get(step.picture)

    def _frames(self, count: int, focus: str | None, *, is_first: bool) -> list[MemoryUnit]:
        step = self._tape.next(FramesStep)
        if (step.count, step.focus, step.is_first) != (count, focus, is_first):
            raise self._tape.differs(f"{count} frames about {focus!r} are asked for")
        if step.failure is not None:
            raise _error(step.failure)
        self._records |= {record.record_id: record for record in step.records}
        self._unseen = step.num_unseen
        return list(step.frames)


class _TapeArchive(TapeWorld):
    def stored_hash(self, record_id: str) -> str | None:
        """Return what the recorded run found in the workspace."""
        step = self._tape.next(LookupStep)
        if step.record_id != record_id:
            raise self._tape.differs(f"{record_id} is looked up")
        return step.stored_hash


def _error(failure: Failure) -> Exception:
    if failure.error_type is not None:
        error = ServiceError(failure.message, ErrorType(failure.error_type), service=failure.service)
        error.attempts = failure.attempts
        return error
    return _FAMILIES[failure.family](failure.message)
