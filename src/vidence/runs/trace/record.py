"""Recording one run: every prompt, reply, result, event and clock reading that it got from outside."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from vidence import __version__
from vidence.errors import BackendError, OpFailed, OpRetry, ServiceError, VidenceError
from vidence.llm.base import EngineBase
from vidence.llm.protocol import Engine, OnText, Reply
from vidence.prompts import Prompt, Template
from vidence.runs.worlds.world import Archive, Pictured, Preparing, World
from vidence.schema.agent import AgentAnswer, MemoryUnit, OperationCall, VideoCard
from vidence.schema.engine import EngineCard
from vidence.schema.events import Spending, StepEvent, Thinking, Working
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.message import EncodedPicture, Message
from vidence.schema.trace import (
    Failure,
    FramesStep,
    LookupStep,
    MessageRef,
    ModelStep,
    OperationStep,
    PictureStep,
    TemplateRef,
    Trace,
    TraceEnd,
    TraceStep,
    WorldCard,
)

__all__ = ["Recorder", "RecordingEngine", "RecordingWorld", "engine_card", "record_world", "world_card"]

_SECRET_NAME = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)
_LOOKS_SECRET = re.compile(
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|\bAIza[0-9A-Za-z_-]{30,}|(?<=Bearer )[A-Za-z0-9._~+/-]{12,}=*"
)
_SHORTEST_SECRET = 8
_HIDDEN = "[hidden]"


class Recorder:
    """Collects one run's record in the order things happen."""

    def __init__(self, *, started_at: float, vidence: str = __version__) -> None:
        self._started_at, self._vidence = started_at, vidence
        self.steps: list[TraceStep] = []
        self._events: list[StepEvent] = []
        self._clock: list[float] = []
        self._cancel_readings = 0
        self._cancelled_at: int | None = None
        self._texts: dict[str, str] = {}
        self._pictures: dict[str, EncodedPicture] = {}

    def text(self, text: str) -> str:
        """Keep a text once, without keys, and return its name."""
        clean = _writable(text)
        name = hashlib.sha256(clean.encode()).hexdigest()
        self._texts[name] = clean
        return name

    def picture(self, picture: EncodedPicture) -> str:
        """Keep a picture once and return its name."""
        name = hashlib.sha256(picture.data).hexdigest()
        self._pictures[name] = picture
        return name

    def messages(self, messages: Sequence[Message]) -> tuple[MessageRef, ...]:
        """Keep a conversation."""
        return tuple(
            MessageRef(
                role=message.role,
                text=self.text(message.text),
                pictures=tuple(self.picture(picture) for picture in message.pictures),
            )
            for message in messages
        )

    def event(self, event: StepEvent) -> None:
        """Keep an event, except those that depend on how a reply arrives."""
        if not isinstance(event, Spending | Thinking | Working):
            self._events.append(event)

    def read_clock(self, reading: float) -> float:
        """Keep a clock reading, to the microsecond, and return what the run sees."""
        self._clock.append(round(reading, 6))
        return self._clock[-1]

    def read_cancel(self, stopped: bool) -> bool:
        """Keep when the run was cancelled."""
        if stopped and self._cancelled_at is None:
            self._cancelled_at = self._cancel_readings
        self._cancel_readings += 1
        return stopped

    def trace(
        self,
        loop: str,
        given: Mapping[str, Any],
        engines: Mapping[str, EngineCard],
        world: WorldCard,
        templates: Sequence[Template],
        *,
        ended: TraceEnd,
        answer: AgentAnswer | None = None,
        error: str | None = None,
    ) -> Trace:
        """Return the record as it stands."""
        refs = tuple(
            TemplateRef(template_id=one.template_id, language=one.language, sha256=self.text(one.text))
            for one in templates
        )
        trace = Trace(
            vidence=self._vidence,
            started_at=self._started_at,
            loop=loop,
            given=dict(given),
            engines=dict(engines),
            world=world,
            steps=tuple(self.steps),
            events=tuple(self._events),
            clock=tuple(self._clock),
            cancelled_at=self._cancelled_at,
            templates=refs,
            texts=dict(self._texts),
            pictures=dict(self._pictures),
            ended=ended,
            error=error,
            answer=answer,
        )
        return _without_keys(trace)


class RecordingEngine(EngineBase):
    """An engine whose every call is recorded."""

    def __init__(self, engine: Engine, recorder: Recorder) -> None:
        super().__init__(engine.name, engine.capabilities)
        self._engine, self._recorder = engine, recorder

    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Answer through the engine and keep prompt and reply."""
        recorder = self._recorder
        # Hidden keys must stay hidden in the hash too, or a replay could not give the same one.
        clean = tuple(one.model_copy(update={"text": _writable(one.text)}) for one in prompt.messages)
        begun = ModelStep(
            task=prompt.task,
            messages=recorder.messages(prompt.messages),
            prompt_sha256=replace(prompt, messages=clean).sha256,
            templates=tuple(
                TemplateRef(template_id=one.template_id, language=one.language, sha256=one.sha256)
                for one in prompt.templates
            ),
            timeout_s=timeout_s,
        )
        try:
            reply = self._engine.answer(prompt, on_text=on_text, timeout_s=timeout_s)
        except VidenceError as exc:
            recorder.steps.append(begun.model_copy(update={"failure": _failure(exc)}))
            raise
        told = {
            "reply": recorder.text(reply.text),
            "engine": reply.engine,
            "usage": reply.usage,
            "seconds": round(reply.seconds, 6),
            "truncated": reply.truncated,
            "confidence": reply.confidence,
        }
        recorder.steps.append(begun.model_copy(update=told))
        return reply


def record_world(world: World, recorder: Recorder, *, has_pictures: bool) -> RecordingWorld:
    """Return the world with everything it answers recorded."""
    kind = _RecordingArchive if isinstance(world, Archive) else RecordingWorld
    return kind(world, recorder, has_pictures=has_pictures)


class RecordingWorld:
    """A world whose every answer is recorded."""

    def __init__(self, world: World, recorder: Recorder, *, has_pictures: bool) -> None:
        self._world, self._recorder = world, recorder
        self._has_pictures = has_pictures

    @property
    def videos(self) -> tuple[VideoCard, ...]:
        return self._world.videos

    @property
    def num_unseen(self) -> int | None:
        return self._world.num_unseen

    def first_frames(self, count: int) -> list[MemoryUnit]:
        """Return the world's first frames."""
        return self._frames(count, None, is_first=True)

    def fetch_new_frames(self, count: int, focus: str | None = None) -> list[MemoryUnit]:
        """Return the world's new frames."""
        return self._frames(count, focus, is_first=False)

    def prepare(self, calls: Sequence[OperationCall]) -> None:
        """Let the world prepare; that is no answer, so it is not kept."""
        if isinstance(self._world, Preparing):
            self._world.prepare(calls)

    def call(self, call: OperationCall) -> EvidenceRecord:
        """Run an operation."""
        try:
            record = self._world.call(call)
        except VidenceError as exc:
            self._recorder.steps.append(OperationStep(call=call, failure=_failure(exc)))
            raise
        self._recorder.steps.append(OperationStep(call=call, record=record))
        return record

    def frame_records(self, frame_ids: Sequence[int]) -> list[EvidenceRecord]:
        """Return fetched frames as records; they were kept with the frames."""
        return self._world.frame_records(frame_ids)

    def picture_of(self, frame_id: int) -> EncodedPicture | None:
        """Show a frame, where the world can."""
        if not self._has_pictures or not isinstance(self._world, Pictured):
            return None
        picture = self._world.picture_of(frame_id)
        name = None if picture is None else self._recorder.picture(picture)
        self._recorder.steps.append(PictureStep(frame_id=frame_id, picture=name))
        return picture

    def _frames(self, count: int, focus: str | None, *, is_first: bool) -> list[MemoryUnit]:
        step = FramesStep(is_first=is_first, count=count, focus=focus)
        try:
            frames = (
                self._world.first_frames(count) if is_first else self._world.fetch_new_frames(count, focus)
            )
        except VidenceError as exc:
            self._recorder.steps.append(step.model_copy(update={"failure": _failure(exc)}))
            raise
        records = self._world.frame_records([frame.frame_id for frame in frames])
        told = {"frames": tuple(frames), "records": tuple(records), "num_unseen": self.num_unseen}
        self._recorder.steps.append(step.model_copy(update=told))
        return frames


class _RecordingArchive(RecordingWorld):
    """The same for a world that keeps its records."""

    def stored_hash(self, record_id: str) -> str | None:
        """Look a record up in the world's archive."""
        found = self._world.stored_hash(record_id) if isinstance(self._world, Archive) else None
        self._recorder.steps.append(LookupStep(record_id=record_id, stored_hash=found))
        return found


def engine_card(engine: Engine) -> EngineCard:
    """Return what a loop sees of an engine."""
    # A replayed engine's capabilities are a card themselves: the name comes last.
    return EngineCard(**{**engine.capabilities.model_dump(), "name": engine.name})


def world_card(world: World) -> WorldCard:
    """Return what a loop sees of a world before it looks."""
    return WorldCard(
        videos=world.videos,
        num_unseen=world.num_unseen,
        has_archive=isinstance(world, Archive),
        has_pictures=isinstance(world, Pictured),
    )


def _failure(exc: VidenceError) -> Failure:
    message = _without_secrets(str(exc))
    if isinstance(exc, ServiceError):
        kind, service = exc.error_type.value, exc.service
        return Failure(
            family="BackendError", message=message, error_type=kind, service=service, attempts=exc.attempts
        )
    if isinstance(exc, BackendError):
        return Failure(family="BackendError", message=message)
    if isinstance(exc, OpRetry):
        return Failure(family="OpRetry", message=message)
    return Failure(family="OpFailed" if isinstance(exc, OpFailed) else "UserError", message=message)


def _without_keys(trace: Trace) -> Trace:
    whole = trace.model_dump_json(exclude={"pictures"})
    kept = _without_secrets(whole)
    if kept == whole:
        return trace
    return Trace.model_validate_json(kept).model_copy(update={"pictures": trace.pictures})


def _writable(text: str) -> str:
    """Return a text without keys, as any UTF-8 file takes it."""
    return _without_secrets(text).encode(errors="replace").decode()


def _without_secrets(text: str) -> str:
    """Return `text` with every key of the environment, and whatever looks like one, hidden."""
    values = (value for name, value in os.environ.items() if _SECRET_NAME.search(name))
    for secret in _longest_first(tuple(value for value in values if len(value) >= _SHORTEST_SECRET)):
        text = text.replace(secret, _HIDDEN)
    return _LOOKS_SECRET.sub(_HIDDEN, text)


@cache
def _longest_first(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(set(values), key=len, reverse=True))
