"""The planner/executor loop: query → context, sub-goal, tool → execution → … → verified output."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime

from pydantic import JsonValue

from vidence.agents.planner_executor.executor import Executor
from vidence.agents.planner_executor.planner import Image, Planner, read_pictures, shown_to
from vidence.errors import BackendError, OpRetry, UnknownName
from vidence.llm.protocol import Engine
from vidence.llm.structured import InvalidReply
from vidence.prompts.build import build_final_output_prompt, build_query_analysis_prompt
from vidence.runs.budget import Cancel, Clock
from vidence.runs.run import CHECKER, Loop, Run, run_loop
from vidence.runs.worlds.captions import GivenWorld
from vidence.runs.worlds.world import World
from vidence.schema.agent import AgentAnswer, AnswerPayload, Budget, OperationCall, RunInput
from vidence.schema.events import Listener
from vidence.schema.evidence import EvidenceRecord, hash_of
from vidence.schema.memory import RetrievalResult
from vidence.schema.message import EncodedPicture
from vidence.schema.planning import FINAL_OUTPUT, FinalOutput, PlanVariables, QueryAnalysis, RecalledNote

__all__ = ["PlannerExecutor", "PlannerInput", "planner_engines", "planner_input", "run_planned"]

PLANNER, OUTPUT = "planner", "output"
_ATTEMPTS = 2
_RESERVED_CALLS = 2
"""LLM calls kept for the output and its check."""


class PlannerInput(RunInput):
    """What a planner/executor run is given."""

    plan: PlanVariables
    pictures: tuple[EncodedPicture, ...] = ()
    """The pictures that came with the query, for engines that see."""


class PlannerExecutor(Loop[PlannerInput]):
    """A planner that chooses the next tool; an executor that writes its arguments; one output."""

    name = "planner_executor"
    given = PlannerInput

    def __init__(self, run: Run[PlannerInput]) -> None:
        super().__init__(run)
        plan = run.given.plan
        self._executor = Executor(
            lambda prompt, response: run.ask(prompt, response, attempts=_ATTEMPTS).value,
            tools=plan.tools,
            wording=run.wording,
        )
        self._is_worded = False
        # Memories may be cited as what was said; they are no operation's records.
        run.ledger.add_all([_memory_record(note) for note in plan.memories])
        captions = [(place, caption) for place, caption in enumerate(plan.pictures, 1) if caption]
        run.ledger.add_all([_picture_record(place, caption) for place, caption in captions])

    def step(self) -> AnswerPayload | None:
        """Choose a tool and use it, or give the output."""
        calls_left = self.run.meter.calls_left
        if calls_left is not None and calls_left <= _RESERVED_CALLS:
            return self._output()
        prompt = build_query_analysis_prompt(self._plan(), self._pictures(PLANNER), wording=self.run.wording)
        try:
            analysis = self.run.ask(prompt, QueryAnalysis, attempts=_ATTEMPTS).value
        except InvalidReply:
            return self._output()
        if analysis.tool_name.strip().lower() in (FINAL_OUTPUT, "none", ""):
            return self._output()
        try:
            calls = self._executor.generate_tool_command(
                self._plan(), analysis.context, analysis.sub_goal, analysis.tool_name
            )
        except (UnknownName, OpRetry) as exc:
            # A wrong tool or wrong arguments cost a step; the planner is told and may choose again.
            self.run.fail(str(exc))
            self.run.ledger.note_failure(OperationCall(operation=analysis.tool_name), str(exc))
            return None
        self.run.call(calls)
        return None

    def last_answer(self) -> AnswerPayload | None:
        """Give the output from what was found so far."""
        return None if self._is_worded else self._output()

    def _output(self) -> AnswerPayload:
        self._is_worded = True
        prompt = build_final_output_prompt(self._plan(), self._pictures(OUTPUT), wording=self.run.wording)
        try:
            output = self.run.ask(prompt, FinalOutput, role=OUTPUT, attempts=_ATTEMPTS).value
        except InvalidReply as exc:
            raise BackendError(str(exc)) from exc
        return AnswerPayload(
            final_answer=output.answer,
            explanation=output.explanation,
            claims=output.claims,
            probability=output.probability,
            cannot_tell=output.cannot_tell,
        )

    def _plan(self) -> PlanVariables:
        ledger = self.run.ledger
        return self.run.given.plan.model_copy(
            update={
                "records": tuple(record for record in ledger if record.kind == "operation"),
                "failed_calls": ledger.failed,
                "steps_left": self.run.meter.steps_left,
            }
        )

    def _pictures(self, role: str) -> tuple[EncodedPicture, ...]:
        return shown_to(self.run.engines[role], self.run.given.pictures)


def planner_input(
    planner: Planner,
    question: str,
    *,
    image: Image = None,
    relevant_memories: Sequence[RetrievalResult] | None = None,
    budget: Budget | None = None,
) -> PlannerInput:
    """Return everything a run is given: the tools, the videos, the pictures and what is recalled."""
    pictures = read_pictures(image)
    plan = planner.variables(question, pictures, relevant_memories)
    return PlannerInput(
        question=plan.question,
        language=plan.language,
        budget=budget or Budget(),
        plan=plan,
        pictures=pictures,
    )


def planner_engines(planner: Planner) -> dict[str, Engine]:
    """Return a planner's engines by their role in the loop."""
    fixed = planner.llm_engine_fixed
    return {PLANNER: planner.llm_engine, OUTPUT: fixed, CHECKER: fixed}


def run_planned(
    question: str,
    planner: Planner,
    world: World | None = None,
    *,
    image: Image = None,
    relevant_memories: Sequence[RetrievalResult] | None = None,
    budget: Budget | None = None,
    listener: Listener | None = None,
    cancel: Cancel | None = None,
    clock: Clock = time.monotonic,
) -> AgentAnswer:
    """Answer a query by planning; without a world, from pictures and memories alone.

    At a limit the best grounded answer comes back with its gaps named.
    """
    given = planner_input(planner, question, image=image, relevant_memories=relevant_memories, budget=budget)
    planner.record_query(question)
    answer = run_loop(
        PlannerExecutor,
        given,
        world or GivenWorld(()),
        planner_engines(planner),
        wording=planner.wording(given.language),
        listener=listener,
        cancel=cancel,
        clock=clock,
    )
    planner.record_answer(answer.answer)
    return answer


def _memory_record(note: RecalledNote) -> EvidenceRecord:
    """Return a memory as a record: what was said, by whom and when, never what is seen."""
    result: dict[str, JsonValue] = {
        "content": note.content,
        "memory_type": note.memory_type,
        "speaker": note.speaker,
        "said_on": _days(note.said_at),
    }
    return EvidenceRecord(
        record_id=note.memory_id, kind="memory", source="memory", result=result, result_hash=hash_of(result)
    )


def _picture_record(place: int, caption: str) -> EvidenceRecord:
    """Return what a picture given with the query shows, as a record; pictures count from 1."""
    return EvidenceRecord(
        record_id=f"picture_{place}",
        kind="frame",
        source="picture",
        result=caption,
        result_hash=hash_of(caption),
    )


def _days(said_at: float | None) -> str:
    """Return a day in every form that either language may cite."""
    if said_at is None:
        return ""
    day = datetime.fromtimestamp(said_at)
    return f"{day:%Y-%m-%d}; {day.day} {day:%B %Y}; {day.year}年{day.month}月{day.day}日"
