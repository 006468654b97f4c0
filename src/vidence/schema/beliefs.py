"""Theory of Mind: what happened before whose eyes, and what each person therefore believes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from vidence.schema.agent import AnswerLanguage
from vidence.schema.frozen import Frozen

__all__ = ["Belief", "BeliefReport", "BeliefVariables", "EventKind", "StoryEvent"]

EventKind = Literal["enter", "leave", "place", "state", "say", "see", "other"]


class StoryEvent(Frozen):
    """One thing that happened."""

    event_id: str
    kind: EventKind
    text: str = ""
    """The event in the words it was told in."""
    actor: str | None = None
    """Who did or said it."""
    thing: str | None = None
    place: str | None = None
    """The room of `enter` and `leave`; for the others, where the thing is afterwards."""
    hearers: tuple[str, ...] = ()
    """Whom it was said to."""
    witnesses: tuple[str, ...] | None = None
    """Who saw or heard it, where that is known; else it follows from who was there."""


class BeliefVariables(Frozen):
    """A question about minds, and the events it is about."""

    question: str
    language: AnswerLanguage
    story: str = ""
    events: tuple[StoryEvent, ...] = ()
    """The events in order; read from the story where none are given."""


class Belief(Frozen):
    """What one person believes about one thing."""

    person: str
    about: str
    believes: str | None
    """Where they think it is; None when they cannot know."""
    is_true: bool | None = None
    because: tuple[str, ...] = ()
    """Ids of the events the belief rests on."""


class BeliefReport(Frozen):
    """The answer, and everybody's beliefs about what was asked."""

    answer: str
    explanation: str = ""
    beliefs: tuple[Belief, ...] = ()
    evidence: tuple[str, ...] = Field(default=())
    """Ids of the events the answer rests on."""
    cannot_tell: bool = False
