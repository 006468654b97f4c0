"""The Solver/Checker loop: look, think, answer, be checked, until an answer passes or a limit is reached.

begin ──► Solver ──► retrieve_more_frames ──► System Notification ─┐
            ▲   ├──► call_operations ───────► System Notification ─┤
            │   ├──► read_notes ────────────► the reader's answer ─┤
            │   ├──► no valid JSON ─────────► System Error ────────┤
            │   └──► answer_question ─► verifier ─► Checker ─┬─► ≥ 4: done
            │                                                └─► < 4: System Feedback ─┐
            └──────────────────────────────────────────────────────────────────────────┘
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import assert_never

from vidence.agents.solver_checker.solver import Solver, prose_answer
from vidence.llm.factory import as_engine
from vidence.llm.protocol import Engine
from vidence.llm.structured import INVALID_JSON, InvalidReply
from vidence.prompts import Wording
from vidence.runs.budget import Cancel, Clock
from vidence.runs.inputs import UnitLike, checked_input, chosen_option
from vidence.runs.judge import Candidate
from vidence.runs.reading import READER, READER_ANSWER, READER_SUMMARISE, ask_reader, choose_by_reader
from vidence.runs.run import CHECKER, Loop, Run, run_loop
from vidence.runs.worlds.captions import FetchFrames, GivenWorld
from vidence.runs.worlds.world import World
from vidence.schema.agent import (
    AgentAnswer,
    AnswerLanguage,
    AnswerPayload,
    Budget,
    CallPayload,
    OperationCard,
    ReadPayload,
    RetrievePayload,
    RunInput,
    SolverResponse,
    SolverVariables,
)
from vidence.schema.events import Listener
from vidence.schema.reading import ReaderReply

__all__ = ["FIRST_FRAMES", "SOLVER", "SolverChecker", "SolverInput", "run_video_agent"]

SOLVER = "solver"
FIRST_FRAMES = 5
_MOST_PROSE = 2
"""Prose is asked to become JSON, then judged, then judged once more after feedback."""
_NO_CALLS = (
    "System Error: call_operations is not available here. Choose retrieve_more_frames or answer_question."
)


class SolverInput(RunInput):
    """What a Solver/Checker run is given."""

    may_call_operations: bool = False
    operations: tuple[OperationCard, ...] = ()
    """What a Solver that reads text is told it may call."""
    first_frames: int = FIRST_FRAMES


class SolverChecker(Loop[SolverInput]):
    """A Solver that looks further or answers; a Checker that judges each answer afresh."""

    name = "solver_checker"
    given = SolverInput

    def __init__(self, run: Run[SolverInput]) -> None:
        super().__init__(run)
        self._may_call = run.given.may_call_operations and bool(run.world.videos)
        self._feedback: list[str] = []
        self._reading: ReaderReply | None = None
        self._choice: tuple[float, ...] = ()
        self._num_prose = 0
        """Replies without any JSON, one after the other."""
        can = run.engine.capabilities
        self._solver = Solver(run.wording, context_tokens=can.context_tokens, operations=run.given.operations)
        fetched = run.fetch(run.given.first_frames, first=True)
        self._solver.begin(self._variables(), fetched.pictures)

    def step(self) -> AnswerPayload | None:
        """Let the Solver act once."""
        if self.run.meter.steps_left == 0 and self.run.meter.steps > 1:
            self._solver.remind_last_step()
        try:
            reply = self.run.ask(self._solver.prompt(self._variables()), SolverResponse)
        except InvalidReply as exc:
            self._solver.replied(exc.reply)
            return self._unreadable(exc.reply)
        self._num_prose = 0
        self._solver.replied(reply.text)
        payload = reply.value.action_payload
        match payload:
            case RetrievePayload():
                self._solver.tell_frames(self.run.fetch(payload.count, payload.focus))
            case CallPayload():
                self._call(payload)
            case AnswerPayload():
                return self._answer(payload)
            case ReadPayload() if payload.reading.options:
                self._choice = choose_by_reader(self.run, payload.reading)
            case ReadPayload():
                is_summary = payload.reading.answer_type == "summary"
                task = READER_SUMMARISE if is_summary else READER_ANSWER
                # Of a summary each sentence is checked by itself.
                self._reading = ask_reader(self.run, payload.reading, task=task, guard=not is_summary)
            case _:
                assert_never(payload)
        return None

    def rejected(self, candidate: Candidate) -> bool:
        """Send the answer back to the Solver with the Checker's feedback; stop where nothing would change.

        An algorithm has looked everywhere before its first answer, and would only repeat it.
        """
        assert candidate.verdict is not None
        if self._num_prose > _MOST_PROSE or self.run.engine.capabilities.deterministic:
            return False
        self._feedback.append(candidate.verdict.feedback)
        self._solver.tell_verdict(candidate.verdict)
        return True

    def _unreadable(self, reply: str) -> AnswerPayload | None:
        """Ask for JSON once; a model that goes on in prose has given its answer in prose."""
        said = prose_answer(reply)
        self._num_prose = self._num_prose + 1 if said else 0
        if said and self._num_prose > 1:
            return AnswerPayload(final_answer=said)
        self._solver.tell(INVALID_JSON)
        return None

    def _call(self, payload: CallPayload) -> None:
        if not self._may_call:
            self._refuse(_NO_CALLS)
            return
        observed = self.run.call(payload.calls)
        most = self.run.engine.capabilities.max_calls
        self._solver.tell_results(observed, skipped=len(payload.calls) - len(observed), most=most)

    def _answer(self, payload: AnswerPayload) -> AnswerPayload | None:
        options = self.run.options
        if options and chosen_option(payload, options) is None and not payload.cannot_tell:
            self._refuse(f'System Error: "option" must be the number of an option, 0 to {len(options) - 1}.')
            return None
        return payload

    def _refuse(self, problem: str) -> None:
        self.run.fail(problem)
        self._solver.tell(problem)

    def _variables(self) -> SolverVariables:
        run = self.run
        return SolverVariables(
            question=run.question,
            language=run.language,
            options=run.options,
            videos=run.world.videos,
            memory=tuple(run.memory),
            records=tuple(run.ledger),
            failed_calls=run.ledger.failed,
            feedback=tuple(self._feedback),
            may_call_operations=self._may_call,
            may_read=READER in run.engines and not run.engine.capabilities.reads_text,
            reading=self._reading,
            choice=self._choice,
            step=max(1, run.meter.steps),
            steps_left=run.meter.steps_left,
            frames_left=run.meter.frames_left,
            num_frames_unseen=run.world.num_unseen,
        )


def run_video_agent(
    question: str,
    initial_memory: Sequence[UnitLike] = (),
    *,
    engine: Engine | str = "embedded",
    checker: Engine | str | None = None,
    reader: Engine | str | None = None,
    fetch_new_frames: FetchFrames | None = None,
    world: World | None = None,
    first_frames: int | None = None,
    options: Sequence[str] = (),
    budget: Budget | None = None,
    may_call_operations: bool = False,
    operations: Sequence[OperationCard] = (),
    language: AnswerLanguage | None = None,
    listener: Listener | None = None,
    cancel: Cancel | None = None,
    clock: Clock = time.monotonic,
    wording: Wording | None = None,
    gaps: Sequence[str] = (),
) -> AgentAnswer:
    """Answer a question about what a world shows; at a limit, return the best grounded answer so far.

    Either `initial_memory` (with `fetch_new_frames` for more) or a `world` is looked at; frames are
    MemoryUnits or dicts with `frame_id` and `caption`. Engines are given as objects or by name; a `reader`
    helps an engine that does not read itself. `operations` tell the Solver what it may call, where
    `may_call_operations` allows it; `gaps` says what is known to be missing beforehand. Bad input raises
    UserError; after that nothing a model, a video or a function that was handed in does raises: it becomes a
    gap of the answer.
    """
    looked_at = world if world is not None else GivenWorld(initial_memory, fetch_new_frames)
    first = FIRST_FRAMES if world is not None else len(initial_memory)
    solver = as_engine(engine)
    given = SolverInput(
        **checked_input(question, options, language),
        budget=budget or Budget(),
        gaps=tuple(gaps),
        may_call_operations=may_call_operations,
        operations=tuple(operations),
        first_frames=first if first_frames is None else first_frames,
    )
    return run_loop(
        SolverChecker,
        given,
        looked_at,
        {
            SOLVER: solver,
            CHECKER: solver if checker is None else as_engine(checker),
            **({} if reader is None else {READER: as_engine(reader)}),
        },
        wording=wording,
        listener=listener,
        cancel=cancel,
        clock=clock,
    )
