"""Vision-and-language navigation: an instruction, what was seen on the way, and the next action."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from vidence.schema.agent import AnswerLanguage, MemoryUnit

__all__ = ["ACTIONS", "NavigationAction", "NavigationStep", "NavigationVariables"]

NavigationAction = Literal[
    "move_forward", "turn_left", "turn_right", "turn_around", "go_upstairs", "go_downstairs", "enter", "stop"
]
ACTIONS: tuple[NavigationAction, ...] = get_args(NavigationAction)


class NavigationVariables(BaseModel):
    """Everything known at one step of the way."""

    model_config = ConfigDict(frozen=True)

    instruction: str
    language: AnswerLanguage
    frames: tuple[MemoryUnit, ...] = ()
    """What was seen, in words or labels, the oldest first; one per action taken and one for now."""
    history: tuple[NavigationAction, ...] = ()
    """The actions taken so far, the oldest first."""


class NavigationStep(BaseModel):
    """The next action, and how far along the instruction it is."""

    model_config = ConfigDict(frozen=True)

    action: NavigationAction
    reason: str
    target: str | None = None
    """The landmark the action is about."""
    target_seen: bool | None = None
    """Whether that landmark is in the latest frame; None when there is no landmark."""
    clauses_done: int = Field(default=0, ge=0)
    clauses: tuple[str, ...] = ()
    """The instruction, clause by clause."""
