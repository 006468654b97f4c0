"""Planner and executor at work: query → context, sub-goal, tool → execution → … → verified output."""

from __future__ import annotations

import time
from collections.abc import Sequence

from vidence.agents.planner_executor.executor import Executor, Observation
from vidence.agents.planner_executor.formatters import answer_payload, memory_record, picture_record
from vidence.agents.planner_executor.planner import Image, Planner, read_pictures
from vidence.agents.solver_checker.checker import evaluate_answer
from vidence.errors import BackendError, OpRetry, UnknownName, VidenceError
from vidence.language.phrases import phrase
from vidence.llm.protocol import Reply
from vidence.llm.structured import InvalidReply
from vidence.prompts import Prompt
from vidence.runs.brief import brief_result
from vidence.runs.budget import Cancel, Clock, Meter
from vidence.runs.claims import claims_of
from vidence.runs.judge import Candidate, probability_of, settle, verify
from vidence.runs.ledger import Ledger
from vidence.runs.verify import Verifier
from vidence.runs.verify.verifier import StoredHash
from vidence.schema.agent import AgentAnswer, Budget, CheckerVariables, OperationCall
from vidence.schema.events import (
    AnswerProposed,
    Checked,
    Listener,
    OperationAnswered,
    OperationCalled,
    RunFinished,
    RunStarted,
    StepEvent,
    StepFailed,
    Thinking,
)
from vidence.schema.evidence import CheckedClaim, EvidenceRecord
from vidence.schema.memory import RetrievalResult
from vidence.schema.message import Picture
from vidence.schema.planning import FINAL_OUTPUT, PlanVariables

__all__ = ["run_planned"]

_UNTOLD = 0.05


def run_planned(
    question: str,
    planner: Planner,
    executor: Executor,
    *,
    image: Image = None,
    relevant_memories: Sequence[RetrievalResult] | None = None,
    budget: Budget | None = None,
    stored_hash: StoredHash | None = None,
    listener: Listener | None = None,
    cancel: Cancel | None = None,
    clock: Clock = time.monotonic,
) -> AgentAnswer:
    """Answer a query by planning; at a limit the best grounded answer comes back with its gaps named."""
    plan = planner.variables(question, image, relevant_memories)
    meter = Meter(budget or Budget(), clock=clock, cancel=cancel)
    run = _PlannedRun(planner, executor, plan, meter, stored_hash, listener)
    return run.go(image)


class _PlannedRun:
    """One query while it is being answered."""

    def __init__(
        self,
        planner: Planner,
        executor: Executor,
        plan: PlanVariables,
        meter: Meter,
        stored_hash: StoredHash | None,
        listener: Listener | None,
    ) -> None:
        self.planner, self.executor, self.plan, self.meter = planner, executor, plan, meter
        self._listener = listener
        self.ledger = Ledger()
        for note in plan.memories:
            # Memories may be cited as what was said; they are no operation's records.
            self.ledger.add(memory_record(note))
        for place, caption in enumerate(plan.pictures, 1):
            if caption:
                self.ledger.add(picture_record(place, caption))
        self.verifier = Verifier(self.ledger, plan.videos, stored_hash=stored_hash, question=plan.question)
        self.gaps: list[str] = []

    def go(self, image: Image) -> AgentAnswer:
        """Plan and execute until the output, then have it verified and checked."""
        names = tuple(video.name for video in self.plan.videos)
        self._emit(RunStarted(question=self.plan.question, engine=self.planner.llm_engine.name, videos=names))
        pictures = read_pictures(image)
        while self._may_go_on() and self._step(pictures):
            pass
        answer = self._concluded(self._output(pictures))
        self._emit(RunFinished(step=self.meter.steps, answer=answer))
        return answer

    def _may_go_on(self) -> bool:
        limit = self.meter.reached()
        if limit is None and self.meter.steps >= self.meter.budget.steps:
            limit = "steps"
        if limit is not None:
            self.gaps.append(phrase(limit, self.plan.language, getattr(self.meter.budget, limit, "")))
        return limit is None

    def _step(self, pictures: tuple[Picture, ...]) -> bool:
        """Choose a tool and use it; False when the planner wants to answer or cannot go on."""
        self.meter.steps += 1
        try:
            analysis, text = self.planner.analyze(
                self._now(), pictures, called=self.meter.called, timeout_s=self.meter.timeout_s
            )
        except (BackendError, InvalidReply) as exc:
            self._failed(exc)
            return False
        self._emit(Thinking(step=self.meter.steps, text=text.partition("```")[0].strip()))
        context, sub_goal, tool = self.planner.extract_context_subgoal_and_tool(analysis)
        if tool.strip().lower() in (FINAL_OUTPUT, "none", ""):
            return False
        try:
            calls = self.executor.generate_tool_command(
                self._now(), context, sub_goal, tool, called=self.meter.called, timeout_s=self.meter.timeout_s
            )
        except (UnknownName, OpRetry) as exc:
            # A wrong tool or wrong arguments cost a step; the planner is told and may choose again.
            self._emit(StepFailed(step=self.meter.steps, problem=str(exc)))
            self._note_problem(tool, str(exc))
            return True
        except BackendError as exc:
            self._failed(exc)
            return False
        for call in calls:
            self._emit(OperationCalled(step=self.meter.steps, call=call))
        for observation in self.executor.execute_tool_command(calls):
            self._take(observation)
        return True

    def _take(self, observation: Observation) -> None:
        self.meter.operations += 1
        record = observation.record
        if record is None:
            self.ledger.note_failure(observation.call, observation.problem)
            self._emit(StepFailed(step=self.meter.steps, problem=observation.problem))
            return
        self.ledger.add(record)
        self._emit(
            OperationAnswered(
                step=self.meter.steps,
                operation=record.source,
                record_id=record.record_id,
                brief=brief_result(record, language=self.plan.language),
            )
        )

    def _output(self, pictures: tuple[Picture, ...]) -> Candidate | None:
        try:
            output = self.planner.final_output(
                self._now(), pictures, called=self.meter.called, timeout_s=self.meter.timeout_s
            )
        except (BackendError, InvalidReply) as exc:
            self._failed(exc)
            return None
        payload = answer_payload(output)
        self._emit(AnswerProposed(step=self.meter.steps, answer=payload))
        claims = self.verifier.check_all(claims_of(payload, self.ledger))
        return self._checked(verify(payload, claims, self.verifier, step=self.meter.steps, option=None))

    def _checked(self, candidate: Candidate) -> Candidate:
        """Have the answer judged by one who never saw the planning."""
        variables = CheckerVariables(
            question=self.plan.question,
            language=self.plan.language,
            videos=self.plan.videos,
            records=tuple(self.ledger),
            answer=candidate.payload,
            claims=candidate.claims,
        )
        try:
            verdict = evaluate_answer(variables, self._ask_checker)
        except (BackendError, InvalidReply) as exc:
            self.gaps.append(phrase("unchecked", self.plan.language, str(exc)))
            return candidate
        settled = settle(verdict, candidate, self.plan.language)
        self._emit(Checked(step=self.meter.steps, verdict=settled))
        return Candidate(
            candidate.step, candidate.payload, None, candidate.claims, candidate.missing, settled
        )

    def _ask_checker(self, prompt: Prompt) -> Reply:
        reply: Reply | None = None
        engine = self.planner.llm_engine_fixed
        try:
            reply = engine.answer(prompt, timeout_s=self.meter.timeout_s)
        finally:
            self.meter.called(engine, reply)
        return reply

    def _concluded(self, candidate: Candidate | None) -> AgentAnswer:
        language = self.plan.language
        if candidate is None:
            return self._answer(status="failed", answer=phrase("no_answer", language), probability=_UNTOLD)
        payload = candidate.payload
        claims = tuple(claim for claim in candidate.claims if claim.citations)
        if not candidate.is_proven:
            self.gaps.append(phrase("unproven", language))
        elif candidate.missing and not payload.cannot_tell:
            self.gaps.append(phrase("unproven_part", language, ", ".join(candidate.missing)))
        return self._answer(
            status="cannot_tell" if payload.cannot_tell else "answered",
            answer=payload.final_answer or phrase("cannot_tell", language),
            explanation=payload.explanation,
            confidence_score=candidate.score,
            probability=round(probability_of(candidate), 4),
            claims=claims,
            evidence=self._cited(claims),
            passed=candidate.passes,
        )

    def _answer(self, **fields: object) -> AgentAnswer:
        return AgentAnswer.model_validate(
            {
                "question": self.plan.question,
                "language": self.plan.language,
                "confidence_score": 1,
                "videos": self.plan.videos,
                "gaps": tuple(dict.fromkeys(self.gaps)),
                "engine": self.planner.llm_engine.name,
                "spent": self.meter.spent(),
                **fields,
            }
        )

    def _cited(self, claims: Sequence[CheckedClaim]) -> tuple[EvidenceRecord, ...]:
        names = dict.fromkeys(citation.record_id for claim in claims for citation in claim.citations)
        return tuple(record for name in names if (record := self.ledger.find(name)) is not None)

    def _now(self) -> PlanVariables:
        operations = tuple(record for record in self.ledger if record.kind == "operation")
        return self.plan.model_copy(
            update={
                "records": operations,
                "failed_calls": self.ledger.failed,
                "steps_left": self.meter.steps_left,
            }
        )

    def _note_problem(self, tool: str, problem: str) -> None:
        self.ledger.note_failure(OperationCall(operation=tool), problem)

    def _failed(self, exc: VidenceError) -> None:
        self._emit(StepFailed(step=self.meter.steps, problem=str(exc)))
        self.gaps.append(phrase("engine_failed", self.plan.language, str(exc)))

    def _emit(self, event: StepEvent) -> None:
        if self._listener is not None:
            self._listener(event)
