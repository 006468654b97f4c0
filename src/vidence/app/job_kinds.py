"""What jobs do: index or summarise a video, answer a question, read a story, look into a topic."""

from __future__ import annotations

from datetime import date
from typing import Any

from pydantic import Field, JsonValue

from vidence.agents.conversation import Turn, resolve
from vidence.app.chat import answered_span
from vidence.app.job_process import JobContext
from vidence.app.moments import ClaimProof, proofs_of
from vidence.app.story import Story
from vidence.app.story_view import QuotedClaim, quoted_claims
from vidence.app.summary import read_ahead, summarise
from vidence.app.workspace import Workspace
from vidence.schema.agent import AgentAnswer, AnswerLanguage, Budget
from vidence.schema.events import Listener, StepEvent, Working
from vidence.schema.frozen import Frozen
from vidence.schema.jobs import JobRow
from vidence.schema.react import StoryTurn

__all__ = [
    "AnswerResult",
    "AskJob",
    "IndexJob",
    "MonitorJob",
    "PrepareJob",
    "StoryAddJob",
    "StoryAskJob",
    "SummariseJob",
    "answer_from_story",
    "answer_question",
    "index_video",
    "read_notes_ahead",
    "read_story",
    "summarise_video",
    "watch_topic",
]

_MOST_TURNS = 20


class IndexJob(Frozen):
    """Index one video."""

    video: str = Field(description="A video's id, path or file name.")
    profile: str | None = Field(default=None, description="fast, default or thorough.")


class AskJob(Frozen):
    """Answer one question about videos."""

    question: str
    videos: tuple[str, ...] | None = Field(default=None, description="Ids; None asks all indexed videos.")
    options: tuple[str, ...] = ()
    engine: str | None = None
    budget: Budget = Budget()


class SummariseJob(Frozen):
    """Say what a video is about, chapter by chapter."""

    video: str
    language: AnswerLanguage = "en"
    engine: str | None = None


class PrepareJob(Frozen):
    """Read the notes of a video before the first question about it."""

    video: str
    language: AnswerLanguage = "en"


class MonitorJob(Frozen):
    """Look into a topic once."""

    command: str = Field(min_length=1, max_length=2000)
    sources: tuple[str, ...] = Field(
        default=(), max_length=50, description="Folders, files, feeds, archives or search services."
    )
    since: date | None = None
    engine: str | None = None
    max_steps: int = Field(default=10, ge=1, le=100)


class StoryAskJob(Frozen):
    """Answer one question about a story."""

    story: str
    question: str
    engine: str | None = None


class StoryAddJob(Frozen):
    """Add documents to a story."""

    name: str = Field(min_length=1, max_length=80)
    sources: tuple[str, ...] = Field(min_length=1, max_length=200)


class AnswerResult(Frozen):
    """An answer as the page shows it."""

    answer: AgentAnswer
    proofs: tuple[ClaimProof, ...]
    understood: str
    """The question as it was understood, a follow-up completed from earlier ones."""


class StoryAskResult(Frozen):
    """An answer about a story as the page shows it."""

    answer: AgentAnswer
    claims: tuple[QuotedClaim, ...]


def index_video(workspace: Workspace, job: JobRow, context: JobContext) -> JsonValue:
    """Bring the index of a video up to date."""
    given = IndexJob.model_validate(job.given)
    outcomes = workspace.index(
        given.video, profile=given.profile, progress=context.progress, cancel=context.is_stopped
    )
    return {
        "computed": [one.stage for one in outcomes if one.computed and one.error is None],
        "failed": {one.stage: str(one.error) for one in outcomes if one.error is not None},
    }


def answer_question(workspace: Workspace, job: JobRow, context: JobContext) -> JsonValue:
    """Answer a question, telling every step."""
    given = AskJob.model_validate(job.given)
    understood = resolve(given.question, _turns(workspace, job)).question
    answer = workspace.ask(
        given.videos,
        understood,
        options=given.options,
        engine=given.engine,
        budget=given.budget,
        listener=_teller(context),
        cancel=context.is_stopped,
    )
    result = AnswerResult(answer=_plain(answer), proofs=proofs_of(answer), understood=understood)
    found: dict[str, Any] = result.model_dump(mode="json")
    return found


def summarise_video(workspace: Workspace, job: JobRow, context: JobContext) -> JsonValue:
    """Summarise a video; the summary is the job's result."""
    given = SummariseJob.model_validate(job.given)
    report = summarise(
        workspace,
        given.video,
        language=given.language,
        engine=given.engine,
        progress=context.progress,
        cancel=context.is_stopped,
    )
    found: dict[str, Any] = report.model_dump(mode="json")
    return found


def watch_topic(workspace: Workspace, job: JobRow, context: JobContext) -> JsonValue:
    """Run a monitor over its sources, telling every thought."""
    given = MonitorJob.model_validate(job.given)
    report = workspace.monitor(
        given.command,
        sources=given.sources,
        since=given.since,
        engine=given.engine,
        max_steps=given.max_steps,
        listener=_teller(context),
        cancel=context.is_stopped,
    )
    return {"run_id": report.run_id, "briefing": report.briefing.model_dump(mode="json")}


def answer_from_story(workspace: Workspace, job: JobRow, context: JobContext) -> JsonValue:
    """Answer a question about a story, telling every step."""
    given = StoryAskJob.model_validate(job.given)
    earlier = [StoryAskResult.model_validate(row.result).answer for row in _earlier(workspace, job)]
    turns = [StoryTurn(question=one.question, answer=one.answer) for one in earlier]
    answer = Story(given.story, workspace=workspace, turns=turns).ask(
        given.question,
        engine=given.engine,
        listener=_teller(context),
        cancel=context.is_stopped,
        keep_context=bool(turns),
    )
    result = StoryAskResult(answer=_plain(answer), claims=tuple(quoted_claims(answer)))
    found: dict[str, Any] = result.model_dump(mode="json")
    return found


def read_notes_ahead(workspace: Workspace, job: JobRow, context: JobContext) -> JsonValue:
    """Let the local reader read a video's notes; tell whether there was anything to read."""
    given = PrepareJob.model_validate(job.given)
    return {"is_read": read_ahead(workspace, given.video, language=given.language, cancel=context.is_stopped)}


def read_story(workspace: Workspace, job: JobRow, context: JobContext) -> JsonValue:
    """Add documents to a story and bring what is known of it up to date."""
    given = StoryAddJob.model_validate(job.given)
    added = Story(given.name, workspace=workspace).add(
        *given.sources, progress=context.progress, cancel=context.is_stopped
    )
    found: dict[str, Any] = added.model_dump(mode="json")
    return found


def _teller(context: JobContext) -> Listener:
    """Return a listener that keeps a run's events with its job."""

    def listen(event: StepEvent) -> None:
        if isinstance(event, Working):
            context.progress(event.what, event.progress)
        else:
            context.tell(event.kind, event.model_dump(mode="json"))

    return listen


def _turns(workspace: Workspace, job: JobRow) -> list[Turn]:
    """Return the earlier questions of a conversation about videos."""
    found = [AnswerResult.model_validate(row.result) for row in _earlier(workspace, job)]
    return [Turn(one.understood, one.answer.answer, answered_span(one.answer)) for one in found]


def _earlier(workspace: Workspace, job: JobRow) -> list[JobRow]:
    """Return the finished jobs of the conversation that came before this one, the oldest first."""
    if not job.thread:
        return []
    rows, _ = workspace.store.jobs.page(kind=job.kind, states=("done",), thread=job.thread, limit=_MOST_TURNS)
    return [row for row in reversed(rows) if row.created_at < job.created_at]


def _plain(answer: AgentAnswer) -> AgentAnswer:
    return AgentAnswer.model_validate(answer.model_dump())
