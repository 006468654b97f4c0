"""The kernel of every loop: one run with its budget, evidence, events and judge.

A loop decides what to do next. It asks, fetches and calls through its `Run`, which counts against the budget,
keeps the evidence, emits the events and can be recorded; answers are verified and judged here.
"""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from pydantic import BaseModel

from vidence.errors import BackendError, ExtensionError, ServiceError, VidenceError
from vidence.language.phrases import phrase
from vidence.llm.ask import Answered, ask_for
from vidence.llm.facts import count_prompt
from vidence.llm.protocol import Engine
from vidence.llm.recovery import describe_gap
from vidence.llm.structured import InvalidReply
from vidence.prompts import Prompt, Wording
from vidence.runs.brief import brief_result
from vidence.runs.budget import Cancel, Clock, LimitReached, Meter
from vidence.runs.checker import CHECKER_ATTEMPTS, checker_prompt
from vidence.runs.conclude import conclude
from vidence.runs.judge import Candidate, propose
from vidence.runs.ledger import Ledger
from vidence.runs.thoughts import ThoughtStream
from vidence.runs.verify import Verifier
from vidence.runs.worlds.world import Archive, Pictured, Preparing, World
from vidence.schema.agent import (
    AgentAnswer,
    AnswerPayload,
    CheckerResponse,
    CheckerVariables,
    MemoryUnit,
    OperationCall,
    RunInput,
)
from vidence.schema.events import (
    AnswerProposed,
    Checked,
    FramesFetched,
    Listener,
    OperationAnswered,
    OperationCalled,
    RunFinished,
    RunStarted,
    StepEvent,
    StepFailed,
    Thinking,
)
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.message import EncodedPicture

__all__ = ["CHECKER", "CallOutcome", "Fetched", "Given", "Loop", "Run", "run_loop"]

logger = logging.getLogger(__name__)

Given = TypeVar("Given", bound=RunInput)
Response = TypeVar("Response", bound=BaseModel)

CHECKER = "checker"
"""The role of the engine that judges answers; a loop names the others."""
_MOST_AT_ONCE = 32
"""Frames given to one request, however many it asks for."""
_PREPARED = 16
"""Calls the world prepares together: few enough to stop soon after a limit is reached."""


@dataclass(frozen=True)
class CallOutcome:
    """The outcome of one call: a record, or the problem."""

    call: OperationCall
    record: EvidenceRecord | None = None
    problem: str = ""


@dataclass(frozen=True)
class Fetched:
    """New frames, their pictures for an engine that sees, and why there are fewer than asked for."""

    frames: tuple[MemoryUnit, ...] = ()
    pictures: tuple[EncodedPicture, ...] = ()
    note: str = ""
    problem: str = ""
    """What went wrong; it may quote the video or its name."""


class Run(Generic[Given]):
    """Everything one question holds while it is being answered."""

    def __init__(
        self,
        given: Given,
        world: World,
        engines: Mapping[str, Engine],
        *,
        wording: Wording | None = None,
        listener: Listener | None = None,
        cancel: Cancel | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self.given, self.world, self.engines = given, world, dict(engines)
        self.question, self.language, self.options = given.question, given.language, given.options
        self.wording = wording or Wording(given.language)
        self._listener = listener
        self.main = next(iter(self.engines))
        self.meter = Meter(given.budget, clock=clock, cancel=cancel)
        self.ledger = Ledger()
        self.verifier = Verifier(
            self.ledger,
            world.videos,
            stored_hash=world.stored_hash if isinstance(world, Archive) else None,
            question=given.question,
        )
        self.memory: list[MemoryUnit] = []
        """Every frame fetched so far, in words."""
        self.candidates: list[Candidate] = []
        self.gaps: list[str] = list(given.gaps)
        self.invalid_replies = 0
        self.may_judge_again = False
        """Whether a Checker that gave no verdict may give one when it is asked once more."""

    @property
    def engine(self) -> Engine:
        """The engine of the loop's first role."""
        return self.engines[self.main]

    def emit(self, event: StepEvent) -> None:
        """Tell the listener, if there is one."""
        if self._listener is not None:
            self._listener(event)

    def fail(self, problem: str) -> None:
        """Emit that this step failed; the run goes on."""
        self.emit(StepFailed(step=self.meter.steps, problem=problem))

    def ask(
        self, prompt: Prompt, response: type[Response], *, role: str | None = None, attempts: int = 1
    ) -> Answered[Response]:
        """Return an engine's typed reply; InvalidReply when no attempt gave valid JSON.

        Thoughts are emitted as they arrive, except the Checker's. LimitReached when the budget is used up.
        """
        is_judge = role == CHECKER
        engine = self.engines[role or self.main]
        tokens = count_prompt(prompt) if engine.capabilities.metered else 0
        stream = ThoughtStream(lambda text: self.emit(Thinking(step=self.meter.steps, text=text)))
        try:
            return ask_for(
                engine,
                prompt,
                response,
                attempts=attempts,
                on_text=None if is_judge else stream,
                allowed_s=lambda: self.meter.allow_call(tokens),
                called=lambda asked, reply: self.emit(self.meter.called(asked, reply)),
            )
        except VidenceError as exc:
            if isinstance(exc, InvalidReply) and not is_judge:
                self.invalid_replies += 1
                self.fail(str(exc))
            raise
        except Exception as exc:
            if exc is stream.failure:
                raise
            # An engine of the user's own may raise anything.
            logger.debug("an engine failed", exc_info=True)
            raise ExtensionError(self.engines[role or self.main].name, exc) from exc

    def fetch(self, count: int, focus: str | None = None, *, first: bool = False) -> Fetched:
        """Fetch frames into the memory and the ledger; the first ones are spread over the whole."""
        if first:
            left, note = self.meter.frames_left, ""
            allowed = count if left is None else min(count, left)
        else:
            allowed, note = self._allowance(count)
            if allowed == 0:
                return Fetched(note=note)
        try:
            frames = (
                self.world.first_frames(allowed)
                if first
                else self.world.fetch_new_frames(allowed, focus)[:allowed]
            )
        except VidenceError as exc:
            self.gaps.append(phrase("world_failed", self.language, str(exc)))
            self.fail(str(exc))
            return Fetched(problem=str(exc))
        if not frames:
            note = phrase("all_seen", self.language)
        elif len(frames) < min(allowed, max(1, count)):
            note = phrase("fewer", self.language, count)
        return Fetched(tuple(frames), self._take(frames, focus), note)

    def call(self, calls: Sequence[OperationCall]) -> list[CallOutcome]:
        """Run operations in order into the ledger; those beyond a limit are left out."""
        observed: list[CallOutcome] = []
        allowed = calls[: self.engine.capabilities.max_calls]
        for first in range(0, len(allowed), _PREPARED):
            chunk = allowed[first : first + _PREPARED]
            if isinstance(self.world, Preparing) and self.meter.reached() is None:
                self.world.prepare(chunk)
            observed += [self._call(call) for call in chunk if self.meter.reached() is None]
        return observed

    def judge(self, payload: AnswerPayload, loop: Loop[Given]) -> tuple[Candidate, bool]:
        """Verify an answer's claims and have the loop judge it; return it and whether it was given before."""
        step = self.meter.steps
        self.emit(AnswerProposed(step=step, answer=payload))
        candidate = propose(payload, self.ledger, self.verifier, step=step, options=self.options)
        is_repeated = any(candidate.is_same(other) for other in self.candidates)
        candidate = loop.judge(candidate)
        if candidate.verdict is not None:
            self.emit(Checked(step=step, verdict=candidate.verdict))
        self.candidates.append(candidate)
        return candidate, is_repeated

    def ask_checker(self, candidate: Candidate) -> CheckerResponse | None:
        """Ask the Checker; None, with a gap, when it did not judge; what cannot be asked again raises."""
        variables = CheckerVariables(
            question=self.question,
            language=self.language,
            options=self.options,
            videos=self.world.videos,
            memory=tuple(self.memory),
            records=tuple(self.ledger),
            answer=candidate.payload,
            claims=candidate.claims,
        )
        prompt = checker_prompt(variables, self.wording)
        try:
            return self.ask(prompt, CheckerResponse, role=CHECKER, attempts=CHECKER_ATTEMPTS).value
        except (BackendError, InvalidReply) as exc:
            if not isinstance(exc, LimitReached):
                self.fail(str(exc))
            self.gaps.append(phrase("unchecked", self.language, self._reason(exc)))
            self.may_judge_again = isinstance(exc, InvalidReply | ExtensionError)
            return None

    def note_failure(self, exc: VidenceError) -> None:
        """Name what ended the run in its gaps: a limit, the user, or an engine that failed."""
        if isinstance(exc, LimitReached):
            self.gaps.append(self._reason(exc))
        elif self.meter.reached() == "cancelled":
            self.gaps.append(phrase("cancelled", self.language))
        else:
            self.fail(str(exc))
            self.gaps.append(phrase("engine_failed", self.language, self._reason(exc)))

    def _reason(self, exc: VidenceError) -> str:
        if isinstance(exc, LimitReached):
            return phrase(exc.limit, self.language, exc.allowed)
        return describe_gap(exc, self.language) if isinstance(exc, ServiceError) else str(exc)

    def _call(self, call: OperationCall) -> CallOutcome:
        step = self.meter.steps
        self.emit(OperationCalled(step=step, call=call))
        self.meter.operations += 1
        try:
            record = self.world.call(call)
        except VidenceError as exc:
            self.ledger.note_failure(call, str(exc))
            self.fail(str(exc))
            return CallOutcome(call, problem=str(exc))
        self.ledger.add_all([record, *record.parts])
        brief = brief_result(record, language=self.language)
        self.emit(
            OperationAnswered(step=step, operation=call.operation, record_id=record.record_id, brief=brief)
        )
        return CallOutcome(call, record)

    def _allowance(self, count: int) -> tuple[int, str]:
        """Return how many frames a request gets, and what to say where that is fewer than it asked for."""
        wanted, left = max(1, count), self.meter.frames_left
        if left == 0:
            return 0, phrase("frame_limit", self.language, count)
        allowed = min(wanted, _MOST_AT_ONCE, *([left] if left is not None else []))
        return allowed, phrase("frame_cut", self.language, count) if allowed < wanted else ""

    def _take(self, frames: Sequence[MemoryUnit], focus: str | None) -> tuple[EncodedPicture, ...]:
        self.memory += frames
        self.meter.frames += len(frames)
        self.ledger.add_all(self.world.frame_records([frame.frame_id for frame in frames]))
        self.emit(FramesFetched(step=self.meter.steps, focus=focus, frames=tuple(frames)))
        can = self.engine.capabilities
        if not isinstance(self.world, Pictured):
            return ()
        if not can.sees_pictures:
            unseen = phrase("pictures_not_sent", self.language, self.engine.name)
            if can.reads_text and unseen not in self.gaps:
                self.gaps.append(unseen)
            return ()
        shown = [self.world.picture_of(frame.frame_id) for frame in frames]
        return tuple(picture for picture in shown if picture is not None)


class Loop(ABC, Generic[Given]):
    """A way to answer: each step looks further or returns an answer; one object serves one run."""

    name: ClassVar[str]
    """The key of its traces."""
    given: ClassVar[type[RunInput]] = RunInput
    """Its typed input, which a trace holds."""
    looks_further: ClassVar[bool] = False
    """False where an algorithm that gives the same answer again has nothing more to look for."""

    def __init__(self, run: Run[Given]) -> None:
        self.run = run

    @abstractmethod
    def step(self) -> AnswerPayload | None:
        """Ask, fetch or call through `self.run` and return None, or return an answer to be judged."""

    def judge(self, candidate: Candidate) -> Candidate:
        """Return an answer with its verdict, by default the Checker's; without one if it could not judge."""
        verdict = self.run.ask_checker(candidate)
        return candidate if verdict is None else candidate.judged(verdict, self.run.language)

    def rejected(self, candidate: Candidate) -> bool:
        """Take the judge's feedback on an answer that did not pass; return True to try again."""
        return False

    def last_answer(self) -> AnswerPayload | None:
        """Return an answer when a limit or a failure ended the run without one; by default none."""
        return None


def run_loop(
    loop: type[Loop[Given]],
    given: Given,
    world: World,
    engines: Mapping[str, Engine],
    *,
    wording: Wording | None = None,
    listener: Listener | None = None,
    cancel: Cancel | None = None,
    clock: Clock = time.monotonic,
) -> AgentAnswer:
    """Run a loop until an answer passes or a limit is reached; the best grounded answer comes back.

    Nothing that a model or a video does raises: it becomes a gap of the answer.
    """
    run = Run(given, world, engines, wording=wording, listener=listener, cancel=cancel, clock=clock)
    videos = tuple(video.name for video in world.videos)
    run.emit(RunStarted(question=run.question, engine=run.engine.name, videos=videos))
    answer = conclude(run, _drive(loop(run)))
    run.emit(RunFinished(step=run.meter.steps, answer=answer))
    return answer


def _drive(loop: Loop[Given]) -> Candidate | None:
    """Return the answer that passed, if any."""
    run = loop.run
    is_settled = run.engine.capabilities.deterministic and not loop.looks_further
    unjudged: AnswerPayload | None = None
    try:
        while True:
            run.meter.begin_step()
            payload = unjudged or _step(loop)
            if payload is None:
                continue
            candidate, is_repeated = run.judge(payload, loop)
            if candidate.passes:
                return candidate
            unjudged = None
            if candidate.verdict is None:
                if not run.may_judge_again:
                    return None
                unjudged = payload
            elif (is_repeated and is_settled) or not loop.rejected(candidate):
                return None
    except VidenceError as exc:
        run.note_failure(exc)
    if run.candidates:
        return None
    try:
        last = loop.last_answer()
    except VidenceError as exc:
        run.note_failure(exc)
        return None
    if last is None:
        return None
    candidate, _ = run.judge(last, loop)
    return candidate if candidate.passes else None


def _step(loop: Loop[Given]) -> AnswerPayload | None:
    """Run one step; an error of a user's own engine is a step without a result."""
    try:
        return loop.step()
    except ExtensionError as exc:
        loop.run.note_failure(exc)
        return None
