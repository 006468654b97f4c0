"""The prompts of a monitor: plan, keywords, critical review and synthesis, each in both languages."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from vidence.prompts.fenced import NOTHING, data, one_line
from vidence.prompts.prompt import Prompt
from vidence.prompts.templates import Wording
from vidence.schema.message import Message
from vidence.schema.topics import (
    KeywordReply,
    KeywordVariables,
    ReviewReply,
    ReviewVariables,
    SynthesisReply,
    SynthesisVariables,
    TaskPlan,
    TopicNote,
    TopicPlanVariables,
)

__all__ = [
    "CHECK_TASK",
    "KEYWORDS_TASK",
    "PLAN_TASK",
    "REVIEW_TASK",
    "SELECT_TASK",
    "SYNTHESIS_TASK",
    "keywords_prompt",
    "local_prompt",
    "plan_prompt",
    "review_prompt",
    "synthesis_prompt",
]

PLAN_TASK = "monitor.plan"
KEYWORDS_TASK = "monitor.extract_keywords"
REVIEW_TASK = "monitor.critical_review"
SYNTHESIS_TASK = "monitor.synthesis"
SELECT_TASK = "critic.select"
CHECK_TASK = "critic.check"
"""Tasks of the critic, which is a program of ours whatever the engine is."""


def plan_prompt(variables: TopicPlanVariables, wording: Wording) -> Prompt:
    """Return the prompt that asks for the subject and three to five sub-tasks of a command."""
    slots = {
        "command": one_line(variables.command),
        "today": variables.today.isoformat(),
        "sources": "\n".join(f"- {one_line(source)}" for source in variables.sources) or NOTHING,
        "known": data("\n".join(variables.known)) if variables.known else NOTHING,
    }
    return _prompt(PLAN_TASK, variables, TaskPlan, wording, slots)


def keywords_prompt(variables: KeywordVariables, wording: Wording) -> Prompt:
    """Return the prompt that asks what else to search for."""
    slots = {
        "command": one_line(variables.command),
        "sentences": data("\n".join(variables.sentences) or NOTHING),
        "searched": "; ".join(one_line(one) for one in variables.searched) or NOTHING,
    }
    return _prompt(KEYWORDS_TASK, variables, KeywordReply, wording, slots)


def review_prompt(variables: ReviewVariables, wording: Wording) -> Prompt:
    """Return the prompt that asks which notes should not be relied on."""
    slots = {
        "command": one_line(variables.command),
        "today": variables.today.isoformat(),
        "notes": data(_lines(variables.notes), 'kind="notes"'),
    }
    return _prompt(REVIEW_TASK, variables, ReviewReply, wording, slots)


def synthesis_prompt(variables: SynthesisVariables, wording: Wording) -> Prompt:
    """Return the prompt that asks for a briefing from numbered notes."""
    slots = {
        "command": one_line(variables.command),
        "tasks": "\n".join(f"- {one_line(task.title)}" for task in variables.sub_tasks) or NOTHING,
        "notes": data(_lines(variables.notes), 'kind="notes"'),
        "most": str(variables.most),
    }
    return _prompt(SYNTHESIS_TASK, variables, SynthesisReply, wording, slots)


def local_prompt(task: str, variables: BaseModel, response: type[BaseModel]) -> Prompt:
    """Return a prompt for a skill of ours, which reads the variables and no words."""
    return Prompt(task, (Message(role="user", text=task),), variables, response)


def _lines(notes: Sequence[TopicNote]) -> str:
    return "\n".join(_line(note) for note in notes) or NOTHING


def _line(note: TopicNote) -> str:
    day = f", {note.published.isoformat()}" if note.published else ""
    doubts = f" ({'; '.join(one_line(doubt) for doubt in note.doubts)})" if note.doubts else ""
    return f"[{note.number}] (source {note.source}{day}) {one_line(note.text)}{doubts}"


def _prompt(
    task: str, variables: BaseModel, response: type[BaseModel], wording: Wording, slots: dict[str, str]
) -> Prompt:
    message = Message(role="user", text=wording.fill(task, **slots))
    return Prompt(task, (message,), variables, response, wording.uses(task))
