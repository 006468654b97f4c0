"""One run of the loop: its state, and what happens at each step."""

from __future__ import annotations

from dataclasses import replace

from pydantic_core import PydanticSerializationError

from vidence.agents.solver_checker.checker import evaluate_answer
from vidence.agents.solver_checker.conclusion import conclude
from vidence.agents.solver_checker.looking import Looking
from vidence.agents.solver_checker.messages import INVALID_JSON, LAST_STEP, feedback
from vidence.agents.solver_checker.solver import OperationSchemas, Solver
from vidence.errors import BackendError, ServiceError, VidenceError
from vidence.language.phrases import phrase
from vidence.llm.gaps import describe_gap
from vidence.llm.protocol import Engine, Reply
from vidence.llm.structured import InvalidReply, Parsed, parse_reply
from vidence.prompts import Prompt
from vidence.runs.budget import Cancel, Clock, Limit, Meter
from vidence.runs.claims import claims_of
from vidence.runs.judge import Candidate, settle, verify
from vidence.runs.ledger import Ledger
from vidence.runs.options import chosen_option
from vidence.runs.thoughts import ThoughtStream
from vidence.runs.verify import Verifier
from vidence.runs.wording import Wording
from vidence.runs.worlds.world import Archive, World
from vidence.schema.agent import (
    AgentAnswer,
    AnswerPayload,
    Budget,
    CallPayload,
    CheckerResponse,
    CheckerVariables,
    RetrievePayload,
    SolverResponse,
    SolverVariables,
)
from vidence.schema.events import (
    AnswerProposed,
    Checked,
    Listener,
    RunFinished,
    RunStarted,
    StepEvent,
    StepFailed,
    Thinking,
)

__all__ = ["Run"]


class Run:
    """Everything one question holds while it is being answered."""

    def __init__(
        self,
        question: str,
        world: World,
        *,
        engine: Engine,
        checker: Engine,
        options: tuple[str, ...],
        budget: Budget,
        may_call_operations: bool,
        operations: OperationSchemas,
        wording: Wording,
        gaps: tuple[str, ...],
        listener: Listener | None,
        cancel: Cancel | None,
        clock: Clock,
    ) -> None:
        self.question, self.options, self.world = question, options, world
        self.engine, self.checker, self.wording = engine, checker, wording
        self.language = wording.language
        self.may_call = may_call_operations and bool(world.videos)
        self._listener = listener
        self.meter = Meter(budget, clock=clock, cancel=cancel)
        self.ledger = Ledger()
        self.solver = Solver(engine, wording, operations=operations)
        self.looking = Looking(world, self.ledger, self.meter, self.emit, self.language, engine)
        self.verifier = Verifier(
            self.ledger,
            world.videos,
            stored_hash=world.stored_hash if isinstance(world, Archive) else None,
            question=question,
        )
        self.candidates: list[Candidate] = []
        self.feedback: list[str] = []
        self.gaps: list[str] = list(gaps)
        self.invalid_replies = 0

    def go(self, first_frames: int) -> AgentAnswer:
        """Run to the end and return the answer."""
        self.emit(
            RunStarted(
                question=self.question,
                engine=self.engine.name,
                videos=tuple(video.name for video in self.world.videos),
            )
        )
        pictures = self.looking.begin(first_frames)
        self.solver.begin(self._variables(), pictures)
        passed = self._until_passed()
        answer = conclude(self, passed)
        self.emit(RunFinished(step=self.meter.steps, answer=answer))
        return answer

    def emit(self, event: StepEvent) -> None:
        """Tell whoever listens."""
        if self._listener is not None:
            self._listener(event)

    def _until_passed(self) -> Candidate | None:
        while True:
            limit: Limit | None = self.meter.reached()
            if limit is None and self.meter.steps >= self.meter.budget.steps:
                limit = "steps"
            if limit is not None:
                self._note_limit(limit)
                return None
            self.meter.steps += 1
            try:
                finished = self._step()
            except BackendError as exc:
                if self.meter.reached() == "cancelled":
                    self._note_limit("cancelled")
                else:
                    self._failed("engine_failed", exc)
                return None
            if finished is not None:
                return finished if finished.passes else None

    def _step(self) -> Candidate | None:
        """Let the Solver act once; return a candidate when the run is over with it."""
        if self.meter.steps_left == 0 and self.meter.steps > 1:
            self.solver.remind(LAST_STEP)
        parsed = self._ask_solver()
        if parsed is None:
            return None
        payload = parsed.value.action_payload
        match payload:
            case RetrievePayload():
                self.solver.tell(*self.looking.fetch(payload))
            case CallPayload():
                self._call(payload)
            case AnswerPayload():
                return self._answered(payload)
        return None

    def _ask_solver(self) -> Parsed[SolverResponse] | None:
        stream = ThoughtStream(lambda text: self.emit(Thinking(step=self.meter.steps, text=text)))
        reply: Reply | None = None
        try:
            reply = self.solver.step(self._variables(), on_text=stream, timeout_s=self.meter.timeout_s)
        finally:
            self.meter.called(self.engine, reply)
        try:
            return _writable(parse_reply(reply.text, SolverResponse))
        except InvalidReply as exc:
            self.invalid_replies += 1
            self.emit(StepFailed(step=self.meter.steps, problem=str(exc)))
            self.solver.tell(INVALID_JSON)
            return None

    def _call(self, payload: CallPayload) -> None:
        if not self.may_call:
            problem = (
                "System Error: call_operations is not available here. "
                "Choose retrieve_more_frames or answer_question."
            )
            self.emit(StepFailed(step=self.meter.steps, problem=problem))
            self.solver.tell(problem)
            return
        self.solver.tell(self.looking.call(payload.calls))

    def _answered(self, payload: AnswerPayload) -> Candidate | None:
        self.emit(AnswerProposed(step=self.meter.steps, answer=payload))
        option = chosen_option(payload, self.options) if self.options else None
        if self.options and option is None and not payload.cannot_tell:
            problem = f'System Error: "option" must be the number of an option, 0 to {len(self.options) - 1}.'
            self.emit(StepFailed(step=self.meter.steps, problem=problem))
            self.solver.tell(problem)
            return None
        claims = self.verifier.check_all(claims_of(payload, self.ledger))
        candidate = verify(payload, claims, self.verifier, step=self.meter.steps, option=option)
        is_known = any(_same(candidate, other) for other in self.candidates)
        verdict = self._check(candidate)
        if verdict is None:
            self.candidates.append(candidate)
            return candidate
        judged = _judged(candidate, settle(verdict, candidate, self.language))
        self.candidates.append(judged)
        assert judged.verdict is not None
        self.emit(Checked(step=self.meter.steps, verdict=judged.verdict))
        if judged.passes:
            return judged
        if is_known and self.engine.capabilities.deterministic:
            # It gave the same answer again: asking once more gives it a third time.
            return judged
        self.feedback.append(judged.verdict.feedback)
        self.solver.tell(feedback(judged.verdict))
        return None

    def _check(self, candidate: Candidate) -> CheckerResponse | None:
        """Ask a new Checker; None, with a gap, when none could judge."""
        limit = self.meter.reached()
        if limit is not None:
            self._note_limit(limit)
            self.gaps.append(phrase("unchecked", self.language, self.gaps.pop()))
            return None
        variables = CheckerVariables(
            question=self.question,
            language=self.language,
            options=self.options,
            videos=self.world.videos,
            memory=tuple(self.looking.memory),
            records=tuple(self.ledger),
            answer=candidate.payload,
            claims=candidate.claims,
        )
        try:
            return evaluate_answer(variables, self._ask_checker, wording=self.wording)
        except (BackendError, InvalidReply) as exc:
            self._failed("unchecked", exc)
            return None

    def _ask_checker(self, prompt: Prompt) -> Reply:
        limit = self.meter.reached()
        if limit is not None:
            raise BackendError(phrase(limit, self.language, _allowed(self.meter.budget, limit)))
        reply: Reply | None = None
        try:
            reply = self.checker.answer(prompt, timeout_s=self.meter.timeout_s)
        finally:
            self.meter.called(self.checker, reply)
        return reply

    def _variables(self) -> SolverVariables:
        return SolverVariables(
            question=self.question,
            language=self.language,
            options=self.options,
            videos=self.world.videos,
            memory=tuple(self.looking.memory),
            records=tuple(self.ledger),
            failed_calls=self.ledger.failed,
            feedback=tuple(self.feedback),
            may_call_operations=self.may_call,
            step=max(1, self.meter.steps),
            steps_left=self.meter.steps_left,
            frames_left=self.meter.frames_left,
            num_frames_unseen=self.world.num_unseen,
        )

    def _note_limit(self, limit: Limit) -> None:
        self.gaps.append(phrase(limit, self.language, _allowed(self.meter.budget, limit)))

    def _failed(self, kind: str, problem: VidenceError) -> None:
        self.emit(StepFailed(step=self.meter.steps, problem=str(problem)))
        told = describe_gap(problem, self.language) if isinstance(problem, ServiceError) else str(problem)
        self.gaps.append(phrase(kind, self.language, told))


def _writable(parsed: Parsed[SolverResponse]) -> Parsed[SolverResponse]:
    """Refuse escapes that are half a character: no file and no terminal could take them."""
    try:
        parsed.value.model_dump_json()
    except PydanticSerializationError as exc:
        raise InvalidReply("it holds half a character") from exc
    return parsed


def _allowed(budget: Budget, limit: Limit) -> str:
    value = getattr(budget, limit, "")
    return f"{value:g}" if isinstance(value, int | float) else ""


def _judged(candidate: Candidate, verdict: CheckerResponse) -> Candidate:
    return replace(candidate, verdict=verdict)


def _same(one: Candidate, other: Candidate) -> bool:
    return one.payload.final_answer == other.payload.final_answer and one.claims == other.claims
