"""The prompt that asks for the output: an answer from what was found and recalled, with its proof."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vidence.prompts.fenced import memories_text, records_text
from vidence.prompts.prompt import Prompt
from vidence.prompts.templates import load_template
from vidence.schema.message import Message, Picture
from vidence.schema.planning import FinalOutput, PlanVariables

__all__ = ["FINAL_TASK", "build_final_output_prompt"]

FINAL_TASK = "planner.final_output"


def build_final_output_prompt(
    variables: PlanVariables, pictures: Sequence[Picture] = (), *, overrides: Path | None = None
) -> Prompt:
    """Return the prompt for the final output."""
    template = load_template("final_output", variables.language, overrides=overrides)
    text = template.fill(
        question=variables.question,
        pictures=str(len(variables.pictures)),
        memories=memories_text(variables.memories),
        records=records_text(variables.records),
    )
    message = Message(role="user", text=text, pictures=tuple(pictures))
    return Prompt(FINAL_TASK, (message,), variables, FinalOutput, (template.use,))
