"""Vision-and-language navigation: an instruction, what was seen on the way, and the next action."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from vidence.schema.agent import AnswerLanguage, MemoryUnit
from vidence.schema.frozen import Frozen

__all__ = ["ACTIONS", "NavigationAction", "NavigationStep", "NavigationVariables"]

NavigationAction = Literal[
    "move_forward", "turn_left", "turn_right", "turn_around", "go_upstairs", "go_downstairs", "enter", "stop"
]
ACTIONS: tuple[NavigationAction, ...] = get_args(NavigationAction)


class NavigationVariables(Frozen):
    """Everything known at one step of the way."""

    instruction: str
    language: AnswerLanguage
    frames: tuple[MemoryUnit, ...] = ()
    """What was seen, in words or labels, the oldest first; one per action taken and one for now."""
    history: tuple[NavigationAction, ...] = ()
    """The actions taken so far, the oldest first."""


class NavigationStep(Frozen):
    """The next action, and how far along the instruction it is."""

    action: NavigationAction
    reason: str
    target: str | None = None
    """The landmark the action is about."""
    target_seen: bool | None = None
    """Whether that landmark is in the latest frame; None when there is no landmark."""
    clauses_done: int = Field(default=0, ge=0)
    clauses: tuple[str, ...] = ()
    """The instruction, clause by clause."""
