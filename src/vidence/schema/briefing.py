"""A briefing: statements with quotations, disputes, sources, a timeline, sentiment, changes and gaps."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import Field

from vidence.schema.agent import AnswerLanguage
from vidence.schema.frozen import Frozen
from vidence.schema.topics import DraftStatement, ReadPage, TaskPlan, TopicNote

__all__ = [
    "Briefing",
    "BriefingChange",
    "CheckVariables",
    "Dispute",
    "DisputeKind",
    "DisputeSide",
    "Findings",
    "SentimentPoint",
    "SourceCard",
    "Statement",
    "StatementQuote",
    "TimelineEntry",
]

DisputeKind = Literal["number", "date", "name", "negation", "statement"]


class StatementQuote(Frozen):
    """Words of a source that bear a statement out."""

    source: int
    """The number of the source."""
    text: str


class Statement(Frozen):
    """One sentence of a briefing that was checked against what it cites."""

    text: str
    quotes: tuple[StatementQuote, ...] = Field(min_length=1)
    sub_task: int = 0
    support: float = 1.0
    """The probability that the quotations support it."""
    published: date | None = None
    doubts: tuple[str, ...] = ()


class DisputeSide(Frozen):
    """One side of a dispute, in its source's words."""

    source: int
    quote: str
    says: str
    """The part that disagrees."""


class Dispute(Frozen):
    """Two sources that cannot both be right."""

    kind: DisputeKind
    sides: tuple[DisputeSide, DisputeSide]
    newer: int | None = None
    """The source that supersedes the other by its date; None where dates do not decide."""
    probability: float = Field(default=1.0, ge=0, le=1)


class SourceCard(Frozen):
    """What is known about a source; its reliability is shown as these inputs, never as one number."""

    number: int
    url: str
    title: str
    platform: str
    source: str = ""
    site: str = ""
    published: date | None = None
    author: str = ""
    language: str = ""
    rating: float | None = None
    """The published quality rating of its domain, 0 to 1; None for an unrated one."""
    is_first_hand: bool | None = None
    """False where it reports what another source says; None where that cannot be told."""
    copies: tuple[str, ...] = ()
    """Addresses of near-duplicates, which count as this one source."""
    agrees_with: tuple[int, ...] = ()
    disagrees_with: tuple[int, ...] = ()
    outdated_by: int | None = None


class TimelineEntry(Frozen):
    """Something that a source dates."""

    day: date
    text: str
    source: int
    is_event: bool = True
    """False where the day is that of the publication."""
    unit: Literal["day", "month", "year"] = "day"
    """How exactly the source says when; `day` is then the first day of it."""

    @property
    def when(self) -> str:
        """The date as exactly as it is known: 2025-01-20, 2025-01 or 2025."""
        return self.day.isoformat()[: {"day": 10, "month": 7, "year": 4}[self.unit]]


class SentimentPoint(Frozen):
    """How a period's sentences speak of the subject."""

    period: str
    """A month, such as 2025-01; empty for pages without a date."""
    positive: int = 0
    neutral: int = 0
    negative: int = 0


class CheckVariables(Frozen):
    """Statements to check against the notes they cite, and the pages of these notes."""

    command: str
    subject: str
    language: AnswerLanguage
    today: date
    statements: tuple[DraftStatement, ...] = ()
    overview: tuple[DraftStatement, ...] = ()
    """Sentences of a reader that sum the statements up."""
    notes: tuple[TopicNote, ...] = ()
    pages: tuple[ReadPage, ...] = ()


class Findings(Frozen):
    """What a critic found: the statements that hold, and what is to be said about their sources."""

    statements: tuple[Statement, ...] = ()
    overview: tuple[Statement, ...] = ()
    """What holds of the overview; what does not is left out without a word."""
    dropped: tuple[str, ...] = ()
    """Statements that their citations do not support."""
    disputes: tuple[Dispute, ...] = ()
    sources: tuple[SourceCard, ...] = ()
    timeline: tuple[TimelineEntry, ...] = ()
    sentiment: tuple[SentimentPoint, ...] = ()


class BriefingChange(Frozen):
    """A difference from the last briefing."""

    kind: Literal["new", "changed", "gone"]
    text: str
    before: str = ""


class Briefing(Frozen):
    """The result of a monitor's run."""

    command: str
    subject: str
    language: AnswerLanguage
    day: date
    plan: TaskPlan | None = None
    statements: tuple[Statement, ...] = ()
    overview: tuple[Statement, ...] = ()
    """The statements in short, in the words of a reader; empty without one."""
    disputes: tuple[Dispute, ...] = ()
    sources: tuple[SourceCard, ...] = ()
    timeline: tuple[TimelineEntry, ...] = ()
    sentiment: tuple[SentimentPoint, ...] = ()
    changes: tuple[BriefingChange, ...] | None = None
    """None when there is no earlier briefing to compare with."""
    searches: tuple[str, ...] = ()
    pages_read: int = 0
    gaps: tuple[str, ...] = ()
    """What failed, was left out or was not found, in words."""
    engine: str = ""

    @property
    def found_nothing(self) -> bool:
        """Whether there is nothing to report."""
        return not self.statements
