"""Gathering one run's record while it happens."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from vidence import __version__
from vidence.errors import BackendError, OpFailed, OpRetry, ServiceError, VidenceError
from vidence.llm.protocol import Engine, OnText, Reply
from vidence.prompts import Prompt, Template
from vidence.runs.trace.secrets import without_secrets
from vidence.schema.agent import AgentAnswer
from vidence.schema.engine import EngineCard
from vidence.schema.events import StepEvent, Thinking, Working
from vidence.schema.message import Message, Picture
from vidence.schema.trace import (
    Asked,
    Failure,
    MessageRef,
    ModelStep,
    TemplateRef,
    Trace,
    TraceEnd,
    TraceStep,
)

__all__ = ["Recorder", "RecordingEngine", "engine_card", "failure_of"]


class Recorder:
    """Everything of one run that came from outside it, in order."""

    def __init__(self, *, started_at: float, vidence: str = __version__) -> None:
        self._started_at, self._vidence = started_at, vidence
        self.steps: list[TraceStep] = []
        self._events: list[StepEvent] = []
        self._clock: list[float] = []
        self._cancel_readings = 0
        self._cancelled_at: int | None = None
        self._texts: dict[str, str] = {}
        self._pictures: dict[str, Picture] = {}

    def text(self, text: str) -> str:
        """Keep a text once and return its name; keys in it are hidden first."""
        clean = _kept(text)
        name = hashlib.sha256(clean.encode()).hexdigest()
        self._texts[name] = clean
        return name

    def picture(self, picture: Picture) -> str:
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
        """Keep what the run tells, except what depends on how a reply trickles in."""
        if not isinstance(event, Thinking | Working):
            self._events.append(event)

    def read_clock(self, reading: float) -> float:
        """Keep a reading of the clock, to the microsecond, and return what the run shall see."""
        self._clock.append(round(reading, 6))
        return self._clock[-1]

    def read_cancel(self, stopped: bool) -> bool:
        """Keep when the run was told to stop."""
        if stopped and self._cancelled_at is None:
            self._cancelled_at = self._cancel_readings
        self._cancel_readings += 1
        return stopped

    def trace(
        self,
        asked: Asked,
        templates: Sequence[Template],
        *,
        ended: TraceEnd,
        answer: AgentAnswer | None = None,
        error: str | None = None,
    ) -> Trace:
        """Return the record as it stands."""
        refs = tuple(_template(self, template) for template in templates)
        trace = Trace(
            vidence=self._vidence,
            started_at=self._started_at,
            asked=asked,
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
        return _hidden(trace)


class RecordingEngine:
    """An engine whose every call is written down."""

    def __init__(self, engine: Engine, recorder: Recorder) -> None:
        self._engine, self._recorder = engine, recorder
        self.name, self.capabilities = engine.name, engine.capabilities

    def __call__(
        self,
        input_data: Sequence[str | bytes],
        *,
        response_format: type[BaseModel] | None = None,
        **options: Any,
    ) -> Any:
        """Answer as the engine does; a call without a task is no part of a run."""
        return self._engine(input_data, response_format=response_format, **options)

    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Answer through the engine and keep prompt and reply."""
        recorder = self._recorder
        # Hidden keys must stay hidden in the hash too, or a replay could not come to the same one.
        refs = recorder.messages(prompt.messages)
        begun = ModelStep(
            task=prompt.task,
            messages=refs,
            prompt_sha256=replace(prompt, messages=_clean(prompt.messages)).sha256,
            templates=tuple(
                TemplateRef(template_id=one.template_id, language=one.language, sha256=one.sha256)
                for one in prompt.templates
            ),
            timeout_s=timeout_s,
        )
        try:
            reply = self._engine.answer(prompt, on_text=on_text, timeout_s=timeout_s)
        except VidenceError as exc:
            recorder.steps.append(begun.model_copy(update={"failure": failure_of(exc)}))
            raise
        told = {
            "reply": recorder.text(reply.text),
            "engine": reply.engine,
            "usage": reply.usage,
            "seconds": round(reply.seconds, 6),
            "truncated": reply.truncated,
        }
        recorder.steps.append(begun.model_copy(update=told))
        return reply


def engine_card(engine: Engine) -> EngineCard:
    """Return what the loop sees of an engine."""
    # A replayed engine's capabilities are a card themselves: the name comes last.
    return EngineCard(**{**engine.capabilities.model_dump(), "name": engine.name})


def failure_of(exc: VidenceError) -> Failure:
    """Return an error as it is written down."""
    message = without_secrets(str(exc))
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


def _hidden(trace: Trace) -> Trace:
    """Return the trace without keys, wherever they got into it."""
    whole = trace.model_dump_json(exclude={"pictures"})
    kept = without_secrets(whole)
    if kept == whole:
        return trace
    return Trace.model_validate_json(kept).model_copy(update={"pictures": trace.pictures})


def _clean(messages: Sequence[Message]) -> tuple[Message, ...]:
    return tuple(message.model_copy(update={"text": _kept(message.text)}) for message in messages)


def _kept(text: str) -> str:
    """Return a text as it is written down: without keys, and as any UTF-8 file takes it."""
    return without_secrets(text).encode(errors="replace").decode()


def _template(recorder: Recorder, template: Template) -> TemplateRef:
    # Not through `text`: a template is ours, and its name must be its own hash.
    return TemplateRef(
        template_id=template.template_id, language=template.language, sha256=recorder.text(template.text)
    )
