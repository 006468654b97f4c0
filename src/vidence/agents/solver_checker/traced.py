"""Running the loop with a trace, and running a trace again."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from vidence.agents.solver_checker.loop import FIRST_FRAMES, check_question, run_video_agent
from vidence.language.identify import question_language
from vidence.llm.protocol import Engine
from vidence.runs.budget import Cancel, Clock
from vidence.runs.options import check_options
from vidence.runs.stopping import StoppableEngine
from vidence.runs.trace import Recorder, TraceFolder
from vidence.runs.trace.recorded import record_world
from vidence.runs.trace.recorder import RecordingEngine, engine_card
from vidence.runs.trace.replayed import Diverged, Ended, Tape, TapeEngine, tape_world
from vidence.runs.wording import LoadTemplate, Wording
from vidence.runs.worlds.world import Archive, Pictured, World
from vidence.schema.agent import AgentAnswer, Budget
from vidence.schema.canonical import canonical_json
from vidence.schema.events import Listener, RunFinished, StepEvent
from vidence.schema.trace import Asked, Trace, TraceEnd

__all__ = ["Replayed", "ask_of", "replay", "run_traced"]


def ask_of(
    question: str,
    world: World,
    *,
    engine: Engine,
    checker: Engine | None = None,
    options: Sequence[str] = (),
    budget: Budget | None = None,
    may_call_operations: bool = False,
    operations: Sequence[dict[str, object]] = (),
    first_frames: int = FIRST_FRAMES,
    gaps: Sequence[str] = (),
) -> Asked:
    """Return everything a run is asked, checked."""
    asked = check_question(question)
    return Asked(
        question=asked,
        language=question_language(asked),
        options=check_options(options),
        budget=budget or Budget(),
        may_call_operations=may_call_operations,
        operations=tuple(operations),
        first_frames=first_frames,
        solver=engine_card(engine),
        checker=engine_card(checker or engine),
        videos=world.videos,
        num_unseen=world.num_unseen,
        has_archive=isinstance(world, Archive),
        has_pictures=isinstance(world, Pictured),
        gaps=tuple(gaps),
    )


def run_traced(
    asked: Asked,
    world: World,
    *,
    engine: Engine,
    checker: Engine | None = None,
    folder: TraceFolder,
    listener: Listener | None = None,
    cancel: Cancel | None = None,
    clock: Clock = time.monotonic,
    load_template: LoadTemplate | None = None,
) -> AgentAnswer:
    """Run the loop and keep its trace, also of a run that fails or is interrupted."""
    recorder = Recorder(started_at=round(time.time(), 3))
    wording = Wording(asked.language, load=load_template)
    began = clock()
    solver, judge = engine, checker or engine
    if cancel is not None:
        solver, judge = StoppableEngine(solver, cancel), StoppableEngine(judge, cancel)
    saved: list[str] = []

    def keep(ended: TraceEnd, answer: AgentAnswer | None = None, error: str | None = None) -> str:
        trace = recorder.trace(asked, wording.templates, ended=ended, answer=answer, error=error)
        saved.append(folder.save(trace))
        return saved[-1]

    def tell(event: StepEvent) -> None:
        # The last word is told once the trace is kept, so that it can name it.
        if listener is not None and not isinstance(event, RunFinished):
            listener(event)

    try:
        answer = _run(
            asked,
            world,
            (solver, judge),
            recorder,
            wording,
            listener=tell,
            cancel=cancel,
            clock=lambda: clock() - began,
        )
    except KeyboardInterrupt:
        keep("interrupted")
        raise
    except BaseException as exc:
        keep("failed", error=f"{type(exc).__name__}: {exc}")
        raise
    traced = answer.model_copy(update={"trace_id": keep("finished", answer)})
    if listener is not None:
        listener(RunFinished(step=traced.spent.steps, answer=traced))
    return traced


@dataclass(frozen=True)
class Replayed:
    """How a repeated run compares with its trace."""

    is_identical: bool
    difference: str
    trace: Trace


def replay(trace: Trace, *, listener: Listener | None = None) -> Replayed:
    """Run a trace's loop again without any model; the new trace must be the old one to the byte."""
    tape = Tape(trace)
    recorder = Recorder(started_at=trace.started_at, vidence=trace.vidence)
    wording = Wording(trace.asked.language, load=tape.template)
    engines = (TapeEngine(tape, trace.asked.solver), TapeEngine(tape, trace.asked.checker))
    answer, ended, difference = None, trace.ended, ""
    try:
        answer = _run(
            trace.asked,
            tape_world(tape),
            engines,
            recorder,
            wording,
            listener=listener or (lambda event: None),
            cancel=tape.cancelled,
            clock=tape.clock,
        )
    except Ended:
        answer = None
    except Diverged as exc:
        difference = str(exc)
    except Exception as exc:
        # A run that failed by a fault of ours fails again in the same way.
        if trace.error != f"{type(exc).__name__}: {exc}":
            raise
    again = recorder.trace(trace.asked, wording.templates, ended=ended, answer=answer, error=trace.error)
    if not difference:
        difference = _difference(trace, again)
    return Replayed(not difference, difference, again)


def _run(
    asked: Asked,
    world: World,
    engines: tuple[Engine, Engine],
    recorder: Recorder,
    wording: Wording,
    *,
    listener: Listener,
    cancel: Cancel | None,
    clock: Clock,
) -> AgentAnswer:
    def heard(event: StepEvent) -> None:
        recorder.event(event)
        listener(event)

    return run_video_agent(
        asked.question,
        engine=RecordingEngine(engines[0], recorder),
        checker=RecordingEngine(engines[1], recorder),
        world=record_world(world, recorder, has_pictures=asked.has_pictures),
        first_frames=asked.first_frames,
        options=asked.options,
        budget=asked.budget,
        may_call_operations=asked.may_call_operations,
        operations=asked.operations,
        language=asked.language,
        listener=heard,
        cancel=lambda: recorder.read_cancel(cancel is not None and cancel()),
        clock=lambda: recorder.read_clock(clock()),
        wording=wording,
        gaps=asked.gaps,
    )


def _difference(trace: Trace, again: Trace) -> str:
    """Name the first part in which two traces are not the same bytes; nothing when they are."""
    old, new = trace.model_dump(mode="json"), again.model_dump(mode="json")
    if canonical_json(old) == canonical_json(new):
        return ""
    for part in old:
        if canonical_json(old[part]) == canonical_json(new[part]):
            continue
        if isinstance(old[part], list) and isinstance(new[part], list):
            pairs = zip(old[part], new[part], strict=False)
            index = next(
                (i for i, (one, other) in enumerate(pairs) if one != other),
                min(len(old[part]), len(new[part])),
            )
            return f"{part} differs at entry {index + 1}"
        return f"{part} differs"
    return "the traces differ"
