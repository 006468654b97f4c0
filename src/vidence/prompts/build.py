"""The prompts of the planner, the executor and the analysts; each task is one template in both languages."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import BaseModel

from vidence.prompts.fenced import NOTHING, cut, data, memories_text, records_text, tools_text, videos_text
from vidence.prompts.prompt import Prompt
from vidence.prompts.templates import Wording
from vidence.schema.beliefs import BeliefReport, BeliefVariables
from vidence.schema.message import EncodedPicture, Message
from vidence.schema.navigation import ACTIONS, NavigationStep, NavigationVariables
from vidence.schema.planning import (
    CommandVariables,
    ContentAnalysis,
    ContentVariables,
    FinalOutput,
    PlanVariables,
    QueryAnalysis,
    ToolCommand,
)

__all__ = [
    "BELIEFS_TASK",
    "COMMAND_TASK",
    "CONTENT_TASK",
    "FINAL_TASK",
    "NAVIGATION_TASK",
    "QUERY_TASK",
    "build_content_analysis_prompt",
    "build_final_output_prompt",
    "build_query_analysis_prompt",
    "build_tom_prompt",
    "build_tool_command_prompt",
    "build_vln_prompt",
]

QUERY_TASK = "planner.analyze"
COMMAND_TASK = "executor.command"
FINAL_TASK = "planner.final_output"
CONTENT_TASK = "content.analyze"
BELIEFS_TASK = "tom.beliefs"
NAVIGATION_TASK = "vln.next_action"


def build_query_analysis_prompt(
    variables: PlanVariables, pictures: Sequence[EncodedPicture] = (), *, wording: Wording | None = None
) -> Prompt:
    """Return the prompt that asks for the context, the sub-goal and the tool of the next step."""
    failures = [f"- {call.operation}: {cut(problem)}" for call, problem in variables.failed_calls]
    slots = {
        **_plan_slots(variables),
        "tools": tools_text(variables.tools),
        "videos": videos_text(variables.videos) or NOTHING,
        "failures": data("\n".join(failures)) if failures else NOTHING,
    }
    used = wording or Wording(variables.language)
    return _prompt(QUERY_TASK, "query_analysis", variables, QueryAnalysis, used, slots, pictures)


def build_tool_command_prompt(variables: CommandVariables, *, wording: Wording | None = None) -> Prompt:
    """Return the prompt that asks for a tool's arguments."""
    tool, plan = variables.tool, variables.plan
    slots = {
        "question": plan.question,
        "context": variables.context,
        "sub_goal": variables.sub_goal,
        "tool": f"{tool.name}: {tool.description}",
        "schema": json.dumps(tool.parameters, ensure_ascii=False),
        "example": json.dumps(tool.example, ensure_ascii=False),
        "videos": videos_text(plan.videos) or NOTHING,
        "problem": data(cut(variables.problem)) if variables.problem else NOTHING,
    }
    used = wording or Wording(plan.language)
    return _prompt(COMMAND_TASK, "tool_command", variables, ToolCommand, used, slots)


def build_final_output_prompt(
    variables: PlanVariables, pictures: Sequence[EncodedPicture] = (), *, wording: Wording | None = None
) -> Prompt:
    """Return the prompt that asks for the answer from what was found and recalled, with its proof."""
    used = wording or Wording(variables.language)
    slots = _plan_slots(variables)
    return _prompt(FINAL_TASK, "final_output", variables, FinalOutput, used, slots, pictures)


def build_content_analysis_prompt(variables: ContentVariables, *, wording: Wording | None = None) -> Prompt:
    """Return the prompt for keywords, entities, times, topics, language, importance and a summary."""
    slots = {"content": data(variables.content), "today": variables.today}
    used = wording or Wording(variables.language)
    return _prompt(CONTENT_TASK, "content_analysis", variables, ContentAnalysis, used, slots)


def build_tom_prompt(variables: BeliefVariables, *, wording: Wording | None = None) -> Prompt:
    """Return the prompt for beliefs (Theory of Mind) from what each person saw, heard and said."""
    events = [f"{one.event_id}: {one.model_dump_json(exclude_none=True)}" for one in variables.events]
    slots = {
        "question": variables.question,
        "story": data(variables.story) if variables.story else NOTHING,
        "events": data("\n".join(events)) if events else NOTHING,
    }
    used = wording or Wording(variables.language)
    return _prompt(BELIEFS_TASK, "tom", variables, BeliefReport, used, slots)


def build_vln_prompt(
    variables: NavigationVariables, pictures: Sequence[EncodedPicture] = (), *, wording: Wording | None = None
) -> Prompt:
    """Return the prompt for the next action (vision-language navigation) from frames and an instruction."""
    frames = "\n".join(f"[{one.frame_id}] {one.caption}" for one in variables.frames)
    slots = {
        "instruction": variables.instruction,
        "frames": data(frames or NOTHING),
        "history": ", ".join(variables.history) or NOTHING,
        "actions": ", ".join(ACTIONS),
    }
    used = wording or Wording(variables.language)
    return _prompt(NAVIGATION_TASK, "vln", variables, NavigationStep, used, slots, pictures)


def _plan_slots(variables: PlanVariables) -> dict[str, str]:
    return {
        "question": variables.question,
        "pictures": str(len(variables.pictures)),
        "memories": memories_text(variables.memories),
        "records": records_text(variables.records) or NOTHING,
    }


def _prompt(
    task: str,
    template_id: str,
    variables: BaseModel,
    response: type[BaseModel],
    wording: Wording,
    slots: dict[str, str],
    pictures: Sequence[EncodedPicture] = (),
) -> Prompt:
    message = Message(role="user", text=wording.fill(template_id, **slots), pictures=tuple(pictures))
    return Prompt(task, (message,), variables, response, wording.uses(template_id))
