"""Running a loop with a trace, and running a trace again."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vidence.errors import BackendError
from vidence.llm.base import EngineBase
from vidence.llm.protocol import Engine, OnText, Reply
from vidence.prompts import LoadTemplate, Prompt, Wording
from vidence.runs.budget import Cancel, Clock
from vidence.runs.run import Given, Loop, run_loop
from vidence.runs.trace.files import TraceFolder
from vidence.runs.trace.record import Recorder, RecordingEngine, engine_card, record_world, world_card
from vidence.runs.trace.replay import Diverged, Ended, Tape, TapeEngine, tape_world
from vidence.runs.worlds.world import World
from vidence.schema.agent import AgentAnswer
from vidence.schema.events import Listener, RunFinished, StepEvent
from vidence.schema.evidence import canonical_json
from vidence.schema.trace import Trace, TraceEnd, WorldCard

__all__ = ["Replayed", "StoppableEngine", "Stopped", "replay", "run_traced"]

_log = logging.getLogger(__name__)


class Stopped(BackendError):
    """The run was cancelled while an engine was replying."""


class StoppableEngine(EngineBase):
    """An engine whose calls end soon after `cancel` says so."""

    def __init__(self, engine: Engine, cancel: Cancel) -> None:
        super().__init__(engine.name, engine.capabilities)
        self._engine, self._cancel = engine, cancel

    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Answer through the engine; look at `cancel` with every piece of text and every pause."""

        def heard(piece: str) -> None:
            if self._cancel():
                raise Stopped("the run was stopped")
            if on_text is not None and piece:
                on_text(piece)

        return self._engine.answer(prompt, on_text=heard, timeout_s=timeout_s)


def run_traced(
    loop: type[Loop[Given]],
    given: Given,
    world: World,
    engines: Mapping[str, Engine],
    *,
    folder: TraceFolder,
    listener: Listener | None = None,
    cancel: Cancel | None = None,
    clock: Clock = time.monotonic,
    load_template: LoadTemplate | None = None,
) -> AgentAnswer:
    """Run a loop and keep its trace, also of a run that fails or is interrupted."""
    began = clock()
    if cancel is not None:
        # An algorithm answers at once, and after a stop it may still write down what was found.
        engines = {
            role: engine if engine.capabilities.deterministic else StoppableEngine(engine, cancel)
            for role, engine in engines.items()
        }
    taped = _Taped(
        loop,
        given,
        world,
        engines,
        Recorder(started_at=round(time.time(), 3)),
        Wording(given.language, load=load_template),
    )

    def tell(event: StepEvent) -> None:
        # The last event is sent once the trace is kept, so that it can name it.
        if listener is not None and not isinstance(event, RunFinished):
            listener(event)

    try:
        answer = taped.run(listener=tell, cancel=cancel, clock=lambda: clock() - began)
    except KeyboardInterrupt:
        _keep(folder, taped.trace("interrupted"))
        raise
    except BaseException as exc:
        _keep(folder, taped.trace("failed", error=f"{type(exc).__name__}: {exc}"))
        raise
    traced = answer.model_copy(update={"trace_id": _keep(folder, taped.trace("finished", answer))})
    if listener is not None:
        listener(RunFinished(step=traced.spent.steps, answer=traced))
    return traced


def _keep(folder: TraceFolder, trace: Trace) -> str | None:
    """Save a trace and return its id; a disk that is full or may not be written costs the trace alone."""
    try:
        return folder.save(trace)
    except BackendError as exc:
        _log.warning("%s", exc)
        return None


@dataclass(frozen=True)
class Replayed:
    """How a repeated run compares with its trace."""

    is_identical: bool
    difference: str
    trace: Trace


def replay(trace: Trace, loop: type[Loop[Any]], *, listener: Listener | None = None) -> Replayed:
    """Run a trace's loop again without any model; the new trace must be the old one to the byte."""
    tape = Tape(trace)
    given = loop.given.model_validate(trace.given)
    taped = _Taped(
        loop,
        given,
        tape_world(tape),
        {role: TapeEngine(tape, card) for role, card in trace.engines.items()},
        Recorder(started_at=trace.started_at, vidence=trace.vidence),
        Wording(given.language, load=tape.template),
        card=trace.world,
    )
    answer, difference = None, ""
    try:
        answer = taped.run(listener=listener or (lambda event: None), cancel=tape.cancelled, clock=tape.clock)
    except Ended:
        answer = None
    except Diverged as exc:
        difference = str(exc)
    except Exception as exc:
        # A run that failed by an error of ours fails again in the same way.
        if trace.error != f"{type(exc).__name__}: {exc}":
            raise
    again = taped.trace(trace.ended, answer, error=trace.error)
    difference = difference or _difference(trace, again)
    return Replayed(not difference, difference, again)


class _Taped:
    """One run whose outside is recorded."""

    def __init__(
        self,
        loop: type[Loop[Given]],
        given: Given,
        world: World,
        engines: Mapping[str, Engine],
        recorder: Recorder,
        wording: Wording,
        *,
        card: WorldCard | None = None,
    ) -> None:
        self._loop, self._given, self._engines = loop, given, engines
        self._world, self._recorder, self._wording = world, recorder, wording
        self._card = card or world_card(world)

    def run(self, *, listener: Listener, cancel: Cancel | None, clock: Clock) -> AgentAnswer:
        """Run the loop between the recorder and the outside."""
        recorder = self._recorder

        def heard(event: StepEvent) -> None:
            recorder.event(event)
            listener(event)

        return run_loop(
            self._loop,
            self._given,
            record_world(self._world, recorder, has_pictures=self._card.has_pictures),
            {role: RecordingEngine(engine, recorder) for role, engine in self._engines.items()},
            wording=self._wording,
            listener=heard,
            cancel=lambda: recorder.read_cancel(cancel is not None and cancel()),
            clock=lambda: recorder.read_clock(clock()),
        )

    def trace(self, ended: TraceEnd, answer: AgentAnswer | None = None, *, error: str | None = None) -> Trace:
        """Return the record as it stands."""
        return self._recorder.trace(
            self._loop.name,
            self._given.model_dump(mode="json"),
            {role: engine_card(engine) for role, engine in self._engines.items()},
            self._card,
            self._wording.templates,
            ended=ended,
            answer=answer,
            error=error,
        )


def _difference(trace: Trace, again: Trace) -> str:
    """Name the first part in which two traces are not the same bytes; nothing when they are."""
    old, new = trace.model_dump(mode="json"), again.model_dump(mode="json")
    for part in old:
        if canonical_json(old[part]) == canonical_json(new[part]):
            continue
        if not isinstance(old[part], list):
            return f"{part} differs"
        pairs = zip(old[part], new[part], strict=False)
        same = (i for i, (one, other) in enumerate(pairs) if one != other)
        return f"{part} differs at entry {next(same, min(len(old[part]), len(new[part]))) + 1}"
    return ""
