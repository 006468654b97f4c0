"""Routes of long work: asking, indexing, following and stopping jobs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Query, Response
from fastapi.responses import HTMLResponse, StreamingResponse
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from vidence.app.job_kinds import AnswerResult, AskJob, IndexJob, PrepareJob, SummariseJob
from vidence.app.pages import answer_page, style_policy
from vidence.errors import UserError
from vidence.schema.frozen import Frozen
from vidence.schema.jobs import JobEvent, JobRow, JobState
from vidence.web.state import ServerState, State
from vidence.web.videos import index_job

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["jobs"])

_PING_S = 15.0
_MAX_CHARS = 4000
_MOST_SUMMARIES = 20
"""Summaries of a video that are looked through for one that still holds."""
_LIST_S = 0.3
"""Those who follow all jobs are told at most this often."""


class AskRequest(AskJob):
    """A question, and the conversation it belongs to."""

    question: str = Field(min_length=1, max_length=_MAX_CHARS)
    thread: str = Field(
        default="", max_length=80, description="Questions of one thread may refer to earlier ones."
    )


class JobPage(Frozen):
    """Some jobs, the newest first."""

    items: tuple[JobRow, ...]
    total: int
    offset: int


@router.post("/ask", status_code=202)
def ask(state: State, asked: AskRequest) -> JobRow:
    """Ask a question; follow the job's events for the thoughts and its result for the answer."""
    videos = asked.videos
    if videos is not None:
        if not videos:
            raise UserError("Name a video to ask about, or leave `videos` out to ask the whole library.")
        for video_id in videos:
            state.workspace.store.catalogue.get(video_id)
    given = AskJob.model_validate(asked.model_dump(exclude={"thread"})).model_dump(mode="json")
    state.runner.make_way(asked.question, videos or ())
    return state.runner.submit("ask", given, subject=_subject(videos), thread=asked.thread)


@router.post("/index", status_code=202)
def index(state: State, asked: IndexJob) -> JobRow:
    """Index a video of the library, or go on with it."""
    record = state.workspace.store.catalogue.get(asked.video)
    return index_job(state, record.video_id, asked.profile)


@router.post("/prepare", status_code=202)
def prepare(state: State, asked: PrepareJob) -> JobRow:
    """Read the notes of a video ahead, so that its first question is answered as fast as the next."""
    video_id = state.workspace.store.catalogue.get(asked.video).video_id
    given = asked.model_copy(update={"video": video_id}).model_dump(mode="json")
    return state.runner.join("prepare", given, subject=video_id)


@router.post("/summarise", status_code=202)
def summarise(state: State, asked: SummariseJob) -> JobRow:
    """Summarise a video: what it is about, chapters, highlights. One that is there already is returned."""
    video_id = state.workspace.store.catalogue.get(asked.video).video_id
    given = asked.model_copy(update={"video": video_id}).model_dump(mode="json")
    rows, _ = state.workspace.store.jobs.page(
        kind="summarise", states=("done",), subject=video_id, limit=_MOST_SUMMARIES
    )
    indexed_at = max((row.updated_at for row in state.workspace.store.stages.all(video_id)), default=0.0)
    fresh = (row for row in rows if row.given == given and row.created_at > indexed_at)
    return next(fresh, None) or state.runner.join("summarise", given, subject=video_id, same=True)


@router.get("/jobs")
def list_jobs(
    state: State,
    kind: str | None = None,
    job_state: Annotated[list[JobState] | None, Query(alias="state")] = None,
    subject: str | None = None,
    thread: str | None = None,
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> JobPage:
    """Return a page of jobs."""
    rows, total = state.workspace.store.jobs.page(
        kind=kind, states=job_state or (), subject=subject, thread=thread, limit=limit, offset=offset
    )
    return JobPage(items=rows, total=total, offset=offset)


@router.get("/jobs/{job_id}")
def get_job(state: State, job_id: str) -> JobRow:
    """Return one job as it stands."""
    return state.runner.get(job_id)


@router.post("/jobs/{job_id}/cancel")
def cancel_job(state: State, job_id: str) -> JobRow:
    """Stop a job; what was finished is kept."""
    return state.runner.cancel(job_id)


@router.delete("/jobs/{job_id}", status_code=204)
def remove_job(state: State, job_id: str) -> Response:
    """Delete a job that has ended."""
    state.runner.remove(job_id)
    return Response(status_code=204)


@router.get("/jobs/{job_id}/page", response_class=HTMLResponse)
def answer_as_page(state: State, job_id: str) -> HTMLResponse:
    """Return an answer with its evidence frames as one HTML page to keep."""
    job = state.runner.get(job_id)
    if job.kind != "ask" or job.result is None:
        raise UserError(f"The job {job_id} has no answer.")
    page = answer_page(state.workspace, AnswerResult.model_validate(job.result).answer)
    return HTMLResponse(page, headers={"content-security-policy": style_policy(page)})


@router.get("/jobs/{job_id}/events", response_class=StreamingResponse)
async def follow_job(
    state: State,
    job_id: str,
    after: Annotated[int, Query(ge=0, description="Leave out events up to this number.")] = 0,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:
    """Stream what a job tells as server-sent events; a broken stream resumes after `Last-Event-ID`."""
    await run_in_threadpool(state.runner.get, job_id)
    begin = int(last_event_id) if last_event_id and last_event_id.isdigit() else after
    return _stream(_job_events(state, job_id, begin))


@router.get("/events", response_class=StreamingResponse)
async def follow_all(state: State) -> StreamingResponse:
    """Stream the jobs under way as server-sent events, a few times a second while they change."""
    return _stream(_all_jobs(state))


async def _job_events(state: ServerState, job_id: str, after: int) -> AsyncIterator[bytes]:
    async with state.changes.following(job_id) as changed:
        while True:
            changed.clear()
            job = await run_in_threadpool(state.runner.get, job_id)
            # The events come after the state: one that has ended has told everything by then.
            for event in await _after(state, job_id, after):
                after = event.number
                yield _event(event.kind, event.model_dump(mode="json"), event.number)
            if not job.is_active:
                yield _event("end", job.model_dump(mode="json"))
                return
            try:
                await asyncio.wait_for(changed.wait(), _PING_S)
            except TimeoutError:
                yield b": still here\n\n"


async def _after(state: ServerState, job_id: str, after: int) -> list[JobEvent]:
    """Return new events; those of a running job are in memory and need no thread."""
    recent = state.runner.recent(job_id, after=after)
    if recent is not None:
        return recent
    found: list[JobEvent] = []
    while True:
        some = await run_in_threadpool(state.workspace.store.jobs.events, job_id, after=after)
        found += some
        if len(some) < 1000:
            return found
        after = some[-1].number


async def _all_jobs(state: ServerState) -> AsyncIterator[bytes]:
    async with state.changes.following("*") as changed:
        while True:
            changed.clear()
            active = [row.model_dump(mode="json") for row in state.runner.all_active()]
            yield _event("jobs", {"jobs": active})
            try:
                await asyncio.wait_for(changed.wait(), _PING_S)
                await asyncio.sleep(_LIST_S)
            except TimeoutError:
                yield b": still here\n\n"


def _stream(events: AsyncIterator[bytes]) -> StreamingResponse:
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


def _event(kind: str, data: object, number: int | None = None) -> bytes:
    name = f"id: {number}\n" if number is not None else ""
    return f"{name}event: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def _subject(videos: tuple[str, ...] | None) -> str:
    return videos[0] if videos and len(videos) == 1 else ""
