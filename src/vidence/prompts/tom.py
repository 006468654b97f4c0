"""The prompt that asks who knows or believes what."""

from __future__ import annotations

from pathlib import Path

from vidence.prompts.fenced import data
from vidence.prompts.prompt import Prompt
from vidence.prompts.templates import load_template
from vidence.schema.beliefs import BeliefReport, BeliefVariables
from vidence.schema.message import Message

__all__ = ["TOM_TASK", "build_tom_prompt"]

TOM_TASK = "tom.beliefs"


def build_tom_prompt(variables: BeliefVariables, *, overrides: Path | None = None) -> Prompt:
    """Return the prompt for beliefs from what each person saw, heard and said."""
    template = load_template("tom", variables.language, overrides=overrides)
    events = "\n".join(
        f"{one.event_id}: {one.model_dump_json(exclude_none=True)}" for one in variables.events
    )
    text = template.fill(
        question=variables.question,
        story=data(variables.story) if variables.story else "–",
        events=data(events) if events else "–",
    )
    return Prompt(TOM_TASK, (Message(role="user", text=text),), variables, BeliefReport, (template.use,))
