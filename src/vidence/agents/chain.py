"""A run's events as a chain of thoughts: one step for each turn of the Solver."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from uuid import uuid4

from vidence.schema.events import (
    AnswerProposed,
    Checked,
    FramesFetched,
    OperationAnswered,
    OperationCalled,
    RunFinished,
    RunStarted,
    StepEvent,
    StepFailed,
    Thinking,
    Working,
)
from vidence.schema.thought import AgentPhase, AgentState, ThoughtStep

__all__ = ["ThoughtChain"]

Now = Callable[[], datetime]


class ThoughtChain:
    """Listens to a run and keeps its state up to date."""

    def __init__(self, *, max_steps: int = 10, now: Now = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self.state = AgentState(task_id=f"task_{uuid4().hex[:12]}", original_command="", max_steps=max_steps)

    def __call__(self, event: StepEvent) -> None:
        """Take in what happened."""
        state = self.state
        state.current_step = max(state.current_step, event.step)
        if isinstance(event, RunStarted):
            state.original_command, state.current_phase = event.question, AgentPhase.PLANNING
        elif isinstance(event, RunFinished):
            failed = event.answer.status == "failed"
            state.current_phase = AgentPhase.FAILED if failed else AgentPhase.COMPLETED
            state.total_tokens = event.answer.spent.usage.total_tokens
        elif not isinstance(event, Working):
            self._take(event)

    def _take(self, event: StepEvent) -> None:
        step = self._step(event.step)
        match event:
            case Thinking():
                step.thought += event.text
            case FramesFetched():
                step.phase, step.action = AgentPhase.SEARCHING, "retrieve_more_frames"
                step.observation = f"{len(event.frames)} frames"
            case OperationCalled():
                step.phase, step.action = AgentPhase.EXECUTING, "call_operations"
                step.tool_calls.append(event.call.model_dump(mode="json"))
            case OperationAnswered():
                step.observation = _joined(step.observation, event.brief)
            case AnswerProposed():
                step.phase, step.action = AgentPhase.SYNTHESIZING, "answer_question"
                step.observation = event.answer.final_answer
            case Checked():
                step.phase = AgentPhase.CRITIQUING
                verdict = f"{event.verdict.confidence_score}/5 {event.verdict.feedback}".strip()
                step.observation = _joined(step.observation, verdict)
            case StepFailed():
                step.phase = AgentPhase.RECOVERING
                step.observation = _joined(step.observation, event.problem)
                self.state.error_count += 1
            case _:
                return
        step.duration_ms = round((self._now() - step.timestamp).total_seconds() * 1000)
        self.state.current_phase = step.phase

    def _step(self, number: int) -> ThoughtStep:
        chain = self.state.thought_chain
        name = f"step_{number}"
        if not chain or chain[-1].step_id != name:
            phase = AgentPhase.PLANNING
            chain.append(ThoughtStep(step_id=name, phase=phase, timestamp=self._now(), thought=""))
        return chain[-1]


def _joined(before: str | None, more: str) -> str:
    return f"{before}\n{more}" if before else more
