"""Topics: pages and where they come from, and what goes to and comes from a monitor's engine."""

from __future__ import annotations

import re
from datetime import date
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field

from vidence.errors import ErrorType
from vidence.schema.agent import AnswerLanguage, RunInput
from vidence.schema.frozen import Frozen

__all__ = [
    "DraftStatement",
    "FailedSource",
    "FoundPage",
    "KeywordReply",
    "KeywordVariables",
    "MonitorInput",
    "MonitorRecord",
    "Page",
    "ReadPage",
    "ReviewReply",
    "ReviewVariables",
    "SelectReply",
    "SelectVariables",
    "SubTask",
    "SynthesisReply",
    "SynthesisVariables",
    "TaskPlan",
    "TopicNote",
    "TopicPlanVariables",
    "TopicRun",
    "site_of",
]

_ARCHIVED = re.compile(r"^https?://web\.archive\.org/web/\w+/(?=https?://)")


def site_of(url: str) -> str:
    """Return the host of an address without `www.`; "" for a file of this machine.

    A copy in the Internet Archive is of the site that it is a copy of.
    """
    return (urlsplit(_ARCHIVED.sub("", url)).hostname or "").removeprefix("www.")


class Page(Frozen):
    """One document: a file, a page, an entry of a feed or archive, a part of a video."""

    url: str
    title: str = ""
    text: str = ""
    """Empty where only a link was found."""
    platform: str = ""
    published: date | None = None
    author: str = ""
    language: str = ""

    @property
    def site(self) -> str:
        """The host it was published on."""
        return site_of(self.url)


class FoundPage(Frozen):
    """A page that a search found, with its passages that fit best."""

    url: str
    title: str
    platform: str
    source: str = Field(description="The source it was found in, as the user named it.")
    published: date | None = None
    author: str = ""
    language: str = ""
    passages: tuple[str, ...] = ()
    score: float = Field(default=0.0, description="How well it fits the query, best first.")
    is_stored: bool = Field(default=True, description="False for a link whose text is not read yet.")


class FailedSource(Frozen):
    """A source or page that could not be read, and why."""

    source: str
    problem: str
    error_type: ErrorType | None = None


class SubTask(Frozen):
    """One part of a plan: what to find out, and the words to search for."""

    title: str
    query: str


class TaskPlan(Frozen):
    """The plan of a monitor: its subject, and three to five sub-tasks."""

    subject: str
    sub_tasks: tuple[SubTask, ...] = Field(min_length=1, max_length=5)


class TopicPlanVariables(Frozen):
    """A command to plan for."""

    command: str
    language: AnswerLanguage
    today: date
    sources: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    """What earlier runs stored about it."""


class TopicNote(Frozen):
    """A sentence of a page under the number that a statement cites."""

    number: int = Field(ge=1)
    text: str
    source: int
    """The number of the page."""
    published: date | None = None
    sub_task: int = 0
    score: float = 0.0
    doubts: tuple[str, ...] = ()
    """What the critic holds against it."""


class ReadPage(Page):
    """A page that a run has read, under the number that its notes carry."""

    number: int = Field(ge=1)
    source: str = ""
    record_id: str = ""
    """The record that holds its text."""


class SelectVariables(Frozen):
    """Pages to take notes from."""

    command: str
    subject: str
    language: AnswerLanguage
    sub_tasks: tuple[SubTask, ...] = ()
    pages: tuple[ReadPage, ...] = ()
    most: int = 48


class SelectReply(Frozen):
    """The sentences of pages that bear on a command, the best first."""

    notes: tuple[TopicNote, ...] = ()


class KeywordVariables(Frozen):
    """Sentences just found, to look for what else to search."""

    command: str
    subject: str
    language: AnswerLanguage
    sentences: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()


class KeywordReply(Frozen):
    """What else to search for, the most promising first; empty when nothing new came up."""

    keywords: tuple[str, ...] = ()


class ReviewVariables(Frozen):
    """Notes for a critical review, with what the program itself holds against them."""

    command: str
    language: AnswerLanguage
    today: date
    notes: tuple[TopicNote, ...] = ()


class ReviewReply(Frozen):
    """The numbers of notes that should not be relied on, each with a reason."""

    doubtful: tuple[int, ...] = ()
    reasons: tuple[str, ...] = ()


class SynthesisVariables(Frozen):
    """Everything a briefing may rest on."""

    command: str
    subject: str
    language: AnswerLanguage
    sub_tasks: tuple[SubTask, ...] = ()
    notes: tuple[TopicNote, ...] = ()
    most: int = 12
    """The most statements to write."""


class DraftStatement(Frozen):
    """One sentence of a briefing and the notes that say it."""

    text: str
    notes: tuple[int, ...] = ()


class SynthesisReply(Frozen):
    """The sentences of a briefing, in order."""

    statements: tuple[DraftStatement, ...] = ()


class MonitorInput(RunInput):
    """What a monitor's run is given; `question` is the command."""

    run_id: str
    today: date
    """The day the run began, however often it is resumed."""
    sources: tuple[str, ...] = ()
    since: date | None = None
    began_at: float = 0.0
    """When this run began, or was resumed; for the times of its thoughts."""
    max_steps: int = Field(default=10, ge=1)
    pages_per_search: int = Field(default=5, ge=1)
    statements: int = Field(default=12, ge=1)
    known: tuple[str, ...] = ()


class TopicRun(Frozen):
    """One run of a monitor as it is stored."""

    run_id: str
    monitor_id: str
    started_at: float
    status: Literal["running", "finished", "failed"] = "running"
    given: str
    """The run's MonitorInput as JSON: enough to resume it."""
    briefing: str = ""
    """The finished briefing as JSON."""


class MonitorRecord(Frozen):
    """A command that is watched."""

    monitor_id: str
    command: str
    sources: tuple[str, ...] = ()
    engine: str | None = None
    every_s: float | None = None
    """None for a command that ran once."""
    is_stopped: bool = False
    created_at: float = 0.0
