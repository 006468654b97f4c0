"""The form of a question: its kind, targets, anchors and features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vidence.language.phrases import phrase
from vidence.language.question.asking import asking_part
from vidence.schema.agent import AnswerLanguage

__all__ = [
    "Anchor", "Comparison", "Kind", "Ordinal", "OrdinalUnit", "QuestionForm", "Relation", "Sense", "Target",
]  # fmt: skip

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
    "direction",  # which way does it go
    "compare",  # what is different at two moments, when there are more
]
Relation = Literal["at", "start", "end", "before", "after", "while", "first", "last", "any", "whole"]
Comparison = Literal["before_after", "first", "last", "sequence", "yes_no"]
Sense = Literal["seen", "heard", "said", "read"]
_MOST_THINGS = 3
OrdinalUnit = Literal["time", "shot", "scene", "cut", "word", "sentence"]


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
    """One of the names in `positions.tsv`: left, top right, foreground, …"""
    category: str | None = None
    """The detector's category or group, where there is one."""
    phrase: str = ""
    """The noun phrase with the description after the noun: "a person with blond hair and a dark coat"."""
    number: int | None = None
    """The number in the question: two bottles, both men."""


@dataclass(frozen=True)
class Anchor:
    """A time or event that the question refers to."""

    relation: Relation
    start_s: float | None = None
    end_s: float | None = None
    clause: str | None = None
    """The event in words: "the two-bottle removal"."""


@dataclass(frozen=True)
class Ordinal:
    """Which one of several: the third shot, the second time."""

    number: int
    """From 1; -1 is the last, -2 the last but one."""
    unit: OrdinalUnit

    def of(self, count: int) -> int | None:
        """Return its index among `count` items; None where there are too few."""
        place = self.number - 1 if self.number > 0 else count + self.number
        return place if 0 <= place < count else None


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
    """The choices that the question offers: left/middle/right, before/after, A or B."""
    items: tuple[str, ...] = ()
    """Events or scenes to compare: what to order, or the two sides of a cut."""
    comparison: Comparison | None = None
    """Which kind of order is asked for."""
    sense: Sense = "seen"
    quoted: tuple[str, ...] = ()
    wants_seconds: bool = False
    """The answer should be a number of seconds or a time."""
    wants_duration: bool = False
    """A duration is asked for, not a time."""
    wants_clock: bool = False
    """The time of day is asked for, as a clock in the picture shows it."""
    wants_date: bool = False
    """A day of the calendar is asked for, not a time of the video."""
    distinct: bool = False
    """Count different things over time, not those visible at once."""
    repeated: bool = False
    """Count how often something happens, not how many things there are."""
    extreme: Literal["most", "fewest"] | None = None
    negated: bool = False
    ordinal: Ordinal | None = None
    moments: tuple[float, ...] = ()
    """Every time the question names, in seconds."""

    def anchor(self, *relations: Relation) -> Anchor | None:
        """Return the first anchor of one of these relations."""
        return next((one for one in self.anchors if one.relation in relations), None)

    @property
    def asked(self) -> str:
        """The part of it that asks: without what is told before, and without a leading "At the end, …"."""
        return asking_part(self.text)

    @property
    def things(self) -> str:
        """The first things the question is about, as a list in its language; empty when it names none."""
        comma = "、" if self.language == "zh" else ", "
        return comma.join(target.text for target in self.targets[:_MOST_THINGS])

    @property
    def purpose(self) -> str:
        """What the question wants to know, and about what: "To count (dogs)", "为了数清楚（狗）"."""
        things = self.things
        about = (f"（{things}）" if self.language == "zh" else f" ({things})") if things else ""
        return phrase(f"purpose_{self.kind}", self.language) + about
