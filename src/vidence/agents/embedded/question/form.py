"""What a question asks, taken apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vidence.schema.agent import AnswerLanguage

__all__ = ["Anchor", "Kind", "QuestionForm", "Target"]

Kind = Literal[
    "count",  # how many …, 几个
    "when",  # at what time, 什么时候
    "order",  # before or after, which first, put in order
    "which",  # left, middle or right; one of what the question names
    "colour",  # what colour, 什么颜色
    "yes_no",  # is there, can … be heard, does …
    "what",  # what is it, which animal, what is he holding
    "who",
    "where",
    "why",
    "said",  # what is said, complete the phrase
    "heard",  # which sound
    "read",  # which word is on the sign, the title
    "doing",  # what happens, what is she doing
    "describe",  # what is this video about
    "camera",  # is the camera moving
    "cuts",  # how many cuts, when is the cut
]


@dataclass(frozen=True)
class Target:
    """A thing the question is about."""

    text: str
    """The noun phrase as written."""
    head: str
    """Its noun in the singular, or the Chinese noun."""
    modifiers: tuple[str, ...] = ()
    colours: tuple[str, ...] = ()
    position: str | None = None
    """left, right, middle, top, bottom, foreground, background, as the question says it."""
    category: str | None = None
    """The detector's category it is, where there is one."""


@dataclass(frozen=True)
class Anchor:
    """When the question is about."""

    relation: Literal["at", "start", "end", "before", "after", "while", "first", "last", "any", "whole"]
    start_s: float | None = None
    end_s: float | None = None
    clause: str | None = None
    """The event it hangs on, in words: "the two-bottle removal"."""


@dataclass(frozen=True)
class QuestionForm:
    """A question as the recipes read it."""

    text: str
    language: AnswerLanguage
    kind: Kind
    targets: tuple[Target, ...] = ()
    action: str | None = None
    """The verb phrase, such as "taken away"."""
    anchors: tuple[Anchor, ...] = ()
    alternatives: tuple[str, ...] = ()
    """What the question itself offers to choose from: left/middle/right, before/after, A or B."""
    sense: Literal["seen", "heard", "said", "read"] = "seen"
    quoted: tuple[str, ...] = ()
    wants_seconds: bool = False
    """The answer should be a number of seconds or a time."""
    distinct: bool = False
    """Counting different ones over time, not those visible at once."""
    extreme: Literal["most", "fewest"] | None = None
    negated: bool = False
