"""The executor: a chosen tool and a sub-goal become validated arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from vidence.errors import OpRetry, UnknownName
from vidence.ops.catalogue import get_operation
from vidence.ops.validate import validate_request
from vidence.prompts import Prompt, Wording
from vidence.prompts.build import build_tool_command_prompt
from vidence.schema.agent import OperationCall
from vidence.schema.planning import CommandVariables, PlanVariables, ToolCard, ToolCommand

__all__ = ["Ask", "Executor"]

Response = TypeVar("Response", bound=BaseModel)
_ATTEMPTS = 2


class Ask(Protocol):
    """Asks an engine for a typed reply."""

    def __call__(self, prompt: Prompt, response: type[Response], /) -> Response: ...


class Executor:
    """Writes the arguments of tools with an engine."""

    def __init__(self, ask: Ask, *, tools: Sequence[ToolCard], wording: Wording | None = None) -> None:
        self._ask, self._wording = ask, wording
        self._tools = {tool.name: tool for tool in tools}

    def generate_tool_command(
        self, plan: PlanVariables, context: str, sub_goal: str, tool_name: str
    ) -> tuple[OperationCall, ...]:
        """Return the calls that reach the sub-goal; arguments that do not validate are sent back once."""
        tool, problem = self.tool(tool_name), ""
        for _ in range(_ATTEMPTS):
            variables = CommandVariables(
                plan=plan, context=context, sub_goal=sub_goal, tool=tool, problem=problem
            )
            prompt = build_tool_command_prompt(variables, wording=self._wording)
            command = self._ask(prompt, ToolCommand)
            calls = tuple(
                OperationCall(operation=tool.name, arguments=_with_video(arguments, plan))
                for arguments in command.calls
            )
            problem = "; ".join(filter(None, (_problem(call) for call in calls)))
            if not problem:
                return calls
        raise OpRetry(problem)

    def tool(self, name: str) -> ToolCard:
        """Return the tool meant by a name, however it is spelt."""
        tidy = name.strip().strip("`'\"").removesuffix("()").replace("-", "_").replace(" ", "_").lower()
        if tidy not in self._tools:
            raise UnknownName("tool", name, self._tools, remedy=f"Known: {', '.join(self._tools)}.")
        return self._tools[tidy]


def _with_video(arguments: dict[str, Any], plan: PlanVariables) -> dict[str, Any]:
    """Fill in the video where there is only one."""
    if "video_id" in arguments or len(plan.videos) != 1:
        return arguments
    return {"video_id": plan.videos[0].video_id, **arguments}


def _problem(call: OperationCall) -> str:
    try:
        validate_request(get_operation(call.operation), call.arguments)
    except OpRetry as exc:
        return str(exc)
    return ""
