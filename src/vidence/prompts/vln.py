"""The prompt that asks for the next action on the way an instruction describes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vidence.prompts.fenced import data
from vidence.prompts.prompt import Prompt
from vidence.prompts.templates import load_template
from vidence.schema.message import Message, Picture
from vidence.schema.navigation import ACTIONS, NavigationStep, NavigationVariables

__all__ = ["VLN_TASK", "build_vln_prompt"]

VLN_TASK = "vln.next_action"


def build_vln_prompt(
    variables: NavigationVariables, pictures: Sequence[Picture] = (), *, overrides: Path | None = None
) -> Prompt:
    """Return the prompt for the next action from egocentric frames and an instruction."""
    template = load_template("vln", variables.language, overrides=overrides)
    text = template.fill(
        instruction=variables.instruction,
        frames=data("\n".join(f"[{one.frame_id}] {one.caption}" for one in variables.frames) or "–"),
        history=", ".join(variables.history) or "–",
        actions=", ".join(ACTIONS),
    )
    message = Message(role="user", text=text, pictures=tuple(pictures))
    return Prompt(VLN_TASK, (message,), variables, NavigationStep, (template.use,))
