"""The executor: a chosen tool and a sub-goal become validated arguments, and these become observations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from vidence.errors import OpRetry, UnknownName, VidenceError
from vidence.llm.protocol import Engine
from vidence.ops.catalogue import get_operation
from vidence.ops.validate import validate_request
from vidence.prompts.query_analysis import build_tool_command_prompt
from vidence.runs.ask import Called, ask_structured
from vidence.schema.agent import OperationCall
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.planning import CommandVariables, PlanVariables, ToolCard, ToolCommand

__all__ = ["Executor", "Observation", "RunCall"]

RunCall = Callable[[OperationCall], EvidenceRecord]
"""Runs one operation; a failure is a VidenceError."""


@dataclass(frozen=True)
class Observation:
    """What came of one call: a record, or what was wrong."""

    call: OperationCall
    record: EvidenceRecord | None = None
    problem: str = ""


class Executor:
    """Writes commands with an engine and runs them through whoever may look at the videos."""

    def __init__(
        self, llm_engine: Engine, run: RunCall, *, tools: Sequence[ToolCard], most_calls: int = 100
    ) -> None:
        self.llm_engine = llm_engine
        self._run = run
        self._tools = {tool.name: tool for tool in tools}
        self._most_calls = most_calls

    def generate_tool_command(
        self,
        plan: PlanVariables,
        context: str,
        sub_goal: str,
        tool_name: str,
        *,
        called: Called | None = None,
        timeout_s: float | None = None,
    ) -> tuple[OperationCall, ...]:
        """Return the calls that reach the sub-goal; arguments that do not validate are sent back once."""
        tool = self.tool(tool_name)
        problem = ""
        for _ in range(2):
            variables = CommandVariables(
                plan=plan, context=context, sub_goal=sub_goal, tool=tool, problem=problem
            )
            parsed, _ = ask_structured(
                self.llm_engine,
                build_tool_command_prompt(variables),
                ToolCommand,
                called=called,
                timeout_s=timeout_s,
            )
            calls = self._calls(tool, parsed.value, plan)
            problem = "; ".join(filter(None, (_problem(call) for call in calls)))
            if not problem:
                return calls
        raise OpRetry(problem)

    def execute_tool_command(self, calls: Sequence[OperationCall]) -> list[Observation]:
        """Run the calls in order; what goes wrong with one is its observation."""
        return [self._observe(call) for call in calls[: self._most_calls]]

    def tool(self, name: str) -> ToolCard:
        """Return the tool meant by a name, however it is spelt."""
        tidy = name.strip().strip("`'\"").removesuffix("()").replace("-", "_").replace(" ", "_").lower()
        if tidy not in self._tools:
            raise UnknownName("tool", name, self._tools, remedy=f"Known: {', '.join(self._tools)}.")
        return self._tools[tidy]

    def _calls(self, tool: ToolCard, command: ToolCommand, plan: PlanVariables) -> tuple[OperationCall, ...]:
        return tuple(
            OperationCall(operation=tool.name, arguments=_with_video(arguments, plan))
            for arguments in command.calls
        )

    def _observe(self, call: OperationCall) -> Observation:
        try:
            return Observation(call, self._run(call))
        except VidenceError as exc:
            return Observation(call, problem=str(exc))


def _with_video(arguments: dict[str, Any], plan: PlanVariables) -> dict[str, Any]:
    """Fill in the video where there is only one to mean."""
    if "video_id" in arguments or len(plan.videos) != 1:
        return arguments
    return {"video_id": plan.videos[0].video_id, **arguments}


def _problem(call: OperationCall) -> str:
    try:
        validate_request(get_operation(call.operation), call.arguments)
    except OpRetry as exc:
        return str(exc)
    return ""
