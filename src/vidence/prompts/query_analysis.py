"""Prompts that take a query apart and turn a sub-goal into a tool's arguments."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from vidence.prompts.fenced import memories_text, records_text, tools_text
from vidence.prompts.prompt import Prompt
from vidence.prompts.templates import load_template
from vidence.schema.message import Message, Picture
from vidence.schema.planning import CommandVariables, PlanVariables, QueryAnalysis, ToolCommand

__all__ = [
    "COMMAND_TASK",
    "QUERY_TASK",
    "build_query_analysis_prompt",
    "build_tool_command_prompt",
    "videos_text",
]

QUERY_TASK = "planner.analyze"
COMMAND_TASK = "executor.command"


def build_query_analysis_prompt(
    variables: PlanVariables, pictures: Sequence[Picture] = (), *, overrides: Path | None = None
) -> Prompt:
    """Return the prompt that asks for the context, the sub-goal and the tool of the next step."""
    template = load_template("query_analysis", variables.language, overrides=overrides)
    text = template.fill(
        question=variables.question,
        tools=tools_text(variables.tools),
        videos=videos_text(variables),
        pictures=str(len(variables.pictures)),
        memories=memories_text(variables.memories),
        records=records_text(variables.records),
        failures="\n".join(f"- {call.operation}: {problem}" for call, problem in variables.failed_calls)
        or "–",
    )
    message = Message(role="user", text=text, pictures=tuple(pictures))
    return Prompt(QUERY_TASK, (message,), variables, QueryAnalysis, (template.use,))


def build_tool_command_prompt(variables: CommandVariables, *, overrides: Path | None = None) -> Prompt:
    """Return the prompt that asks for a tool's arguments."""
    template = load_template("tool_command", variables.plan.language, overrides=overrides)
    text = template.fill(
        question=variables.plan.question,
        context=variables.context,
        sub_goal=variables.sub_goal,
        tool=f"{variables.tool.name}: {variables.tool.description}",
        schema=json.dumps(variables.tool.parameters, ensure_ascii=False),
        example=json.dumps(variables.tool.example, ensure_ascii=False),
        videos=videos_text(variables.plan),
        problem=variables.problem or "–",
    )
    return Prompt(COMMAND_TASK, (Message(role="user", text=text),), variables, ToolCommand, (template.use,))


def videos_text(variables: PlanVariables) -> str:
    """Return the videos that may be looked at, one a line."""
    rows = [f"- {one.video_id}: {one.name}, {one.duration_s:.1f} s" for one in variables.videos]
    return "\n".join(rows) or "–"
