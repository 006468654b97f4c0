"""Past runs as episodes to learn tools from, and which of their calls the answers needed.

A run of an engine that answers from its variables alone is judged again without some of its calls: where the
answer stays the same and stays sure, they were not needed. Of any other run the cited calls were needed, and
all that were made before them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from vidence.agents.solver_checker.solver import SOLVER_TASK
from vidence.app.runs import TraceFolder
from vidence.app.workspace import Workspace
from vidence.errors import FileProblem
from vidence.llm.protocol import Engine
from vidence.llm.structured import InvalidReply, parse_reply
from vidence.prompts import Prompt
from vidence.runs.guard import guarded
from vidence.runs.reading import READER, READER_ANSWER, READER_CHOOSE, READER_SUMMARISE, blend
from vidence.schema.agent import AnswerPayload, ReadPayload, SolverResponse, SolverVariables
from vidence.schema.reading import ChoiceReply, ReaderReply
from vidence.schema.trace import FramesStep, ModelStep, OperationStep, Trace
from vidence.tools.induction import Episode, PastCall, units_of
from vidence.tools.steps import MOST_EVERY

__all__ = ["episode_of", "load_episodes"]

_Said = TypeVar("_Said", ReaderReply, ChoiceReply)


def load_episodes(workspace: Workspace, engine: Engine) -> list[Episode]:
    """Return the runs of the workspace that called operations, the latest of each question."""
    found: dict[tuple[str, str], Episode] = {}
    for file in TraceFolder(workspace.settings.home).all():
        try:
            episode = episode_of(file.read(), engine)
        except FileProblem:
            continue
        if episode is not None:
            found[episode.source, episode.question] = episode
    return list(found.values())


def episode_of(trace: Trace, engine: Engine) -> Episode | None:
    """Return a run as batches of calls; None without calls, about several videos, or made with tools.

    Args:
        engine: Who judges the run again, where it is the engine that made it.
    """
    batches = _batches(trace)
    if len(trace.world.videos) != 1 or not batches:
        return None
    if any(step.record is not None and step.record.parts for batch in batches for step in batch):
        return None
    again = _Again(trace, engine) if _can_judge(trace, engine) else None
    needed = again.needed(batches) if again else _cited(trace, batches)
    is_sure = again.is_sure(batches) if again else bool(trace.answer and trace.answer.passed)
    past = tuple(
        tuple(
            PastCall(step.call.operation, step.call.arguments, step.record.result, id(step) in needed)
            for step in batch
            if step.record is not None
        )
        for batch in batches
    )
    video = trace.world.videos[0].video_id
    return Episode(trace.question, video, tuple(filter(None, past)), is_sure=is_sure)


def _batches(trace: Trace) -> list[list[OperationStep]]:
    batches: list[list[OperationStep]] = [[]]
    for step in trace.steps:
        if isinstance(step, ModelStep) and batches[-1]:
            batches.append([])
        elif isinstance(step, OperationStep):
            batches[-1].append(step)
    return [batch for batch in batches if any(step.record is not None for step in batch)]


def _can_judge(trace: Trace, engine: Engine) -> bool:
    can = engine.capabilities
    return can.deterministic and not can.reads_text and trace.engine == engine.name


def _cited(trace: Trace, batches: Sequence[Sequence[OperationStep]]) -> set[int]:
    """Return the calls whose records are cited, and all calls of earlier batches."""
    cited = {record.record_id for record in trace.answer.evidence} if trace.answer else set()
    needed: set[int] = set()
    for batch in reversed(batches):
        used = {id(step) for step in batch if needed or (step.record and step.record.record_id in cited)}
        needed |= used
    return needed


@dataclass(frozen=True)
class _Again:
    """A run that is judged again without some of its calls."""

    trace: Trace
    engine: Engine

    def needed(self, batches: Sequence[Sequence[OperationStep]]) -> set[int]:
        """Return the calls without which the answer is another one, or not sure; left out unit by unit."""
        steps = [step for batch in batches for step in batch]
        answer = self._answer(steps, ())
        left_out: set[int] = set()
        for choices in self._groups(batches) if answer is not None else ():
            for group in choices:
                other = self._answer(steps, left_out | group)
                if other is not None and answer is not None and other.final_answer == answer.final_answer:
                    left_out |= group
                    break
        return {id(step) for step in steps} - left_out

    def is_sure(self, batches: Sequence[Sequence[OperationStep]]) -> bool:
        """Say whether the run gives a sure answer when it is judged again whole."""
        return self._answer([step for batch in batches for step in batch], ()) is not None

    def _groups(self, batches: Sequence[Sequence[OperationStep]]) -> list[list[set[int]]]:
        """Return what may be left out of each unit, most first: all its calls, or all but one in so many.

        Units that nobody cites come first, and among them the many before the few.
        """
        cited = _cited(self.trace, batches[-1:])
        groups = []
        for batch in batches:
            made = [step for step in batch if step.record is not None]
            for unit in units_of([PastCall(one.call.operation, one.call.arguments, id(one)) for one in made]):
                ids = [int(call.result) for call in unit.made]
                strides = [one for one in range(MOST_EVERY, 1, -1) if len(ids) >= 2 * one]
                thinned = [set(ids) - set(ids[::one]) for one in strides]
                groups.append([set(ids), *thinned])
        return sorted(groups, key=lambda one: (bool(one[0] & cited), -len(one[0])))

    def _answer(self, steps: Sequence[OperationStep], left_out: Collection[int]) -> AnswerPayload | None:
        """Return the answer without some calls; None where there is none, or it would look further."""
        variables = self._variables(steps, left_out)
        payload = self._payload(variables)
        while isinstance(payload, ReadPayload):
            variables = variables.model_copy(update=self._read(payload))
            payload = self._payload(variables)
        return payload if isinstance(payload, AnswerPayload) and not payload.cannot_tell else None

    def _payload(self, variables: SolverVariables) -> object:
        prompt = Prompt(SOLVER_TASK, (), variables, SolverResponse)
        try:
            return parse_reply(self.engine.answer(prompt).text, SolverResponse).value.action_payload
        except InvalidReply:
            return None

    def _read(self, payload: ReadPayload) -> dict[str, object]:
        """Return what the reader said in the run itself; nothing where it was not asked."""
        if number := len(payload.reading.options):
            return {"choice": blend(self._said(ChoiceReply, READER_CHOOSE), number)}
        said = self._said(ReaderReply, READER_ANSWER, READER_SUMMARISE)
        return {"reading": guarded(said[0], payload.reading) if said else ReaderReply()}

    def _said(self, response: type[_Said], *tasks: str) -> list[_Said]:
        """Return the readable replies to some tasks, in their order."""
        found = []
        for step in self.trace.steps:
            if isinstance(step, ModelStep) and step.task in tasks and step.reply:
                with suppress(InvalidReply):
                    found.append(parse_reply(self.trace.texts[step.reply], response).value)
        return found

    def _variables(self, steps: Sequence[OperationStep], left_out: Collection[int]) -> SolverVariables:
        trace = self.trace
        frames = [step for step in trace.steps if isinstance(step, FramesStep)]
        failed = [step for step in steps if step.record is None or id(step) in left_out]
        kept = [step.record for step in steps if step.record is not None and id(step) not in left_out]
        return SolverVariables(
            question=trace.question,
            language=trace.language,
            options=tuple(trace.given.get("options", ())),
            videos=trace.world.videos,
            memory=tuple(unit for step in frames for unit in step.frames),
            records=(*(record for step in frames for record in step.records), *kept),
            failed_calls=tuple((step.call, "left out") for step in failed),
            may_call_operations=True,
            may_read=READER in trace.engines,
        )
