"""Routes over the whole library: search, uploads, operations, traces and the state of the server."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Request, Response
from pydantic import Field, JsonValue
from starlette.concurrency import run_in_threadpool

from vidence import __version__
from vidence.app import STAGES, all_operations, openai_schema
from vidence.app.moments import ClaimProof, proofs_of
from vidence.app.runs import TraceFolder, replay_trace
from vidence.app.search import SearchResults
from vidence.app.story_view import QuotedClaim, quoted_claims
from vidence.app.tools import Entry
from vidence.app.uploads import Upload
from vidence.errors import OpRetry, UserError
from vidence.schema.agent import AgentAnswer
from vidence.schema.events import StepEvent
from vidence.schema.evidence import OpRecord
from vidence.schema.frozen import Frozen
from vidence.schema.jobs import JobRow
from vidence.schema.trace import Trace
from vidence.web.state import State
from vidence.web.videos import VideoItem, index_job, item_of

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["library"])

_MAX_PIECE_BYTES = 16 << 20


class ServerInfo(Frozen):
    """What a page needs to know about its server."""

    version: str
    engine: str
    engines: tuple[str, ...]
    language: str
    videos: int
    stages: tuple[str, ...]
    max_upload_bytes: int
    allows_paths: bool


class UploadRequest(Frozen):
    """A file that is about to be sent."""

    name: str = Field(min_length=1, max_length=1000)
    size_bytes: int


class UploadDone(Frozen):
    """The uploaded video and the job that indexes it."""

    video: VideoItem
    job: JobRow | None


class OperationItem(Frozen):
    """An atomic operation and its schema for function calling."""

    name: str
    purpose: str
    function: dict[str, Any]


class OperationResult(Frozen):
    """The result of an operation, with its provenance."""

    result: JsonValue
    record: OpRecord


class TraceItem(Frozen):
    """A kept run."""

    trace_id: str
    started_at: float
    question: str
    loop: str
    engine: str
    ended: str
    answer: str
    confidence_score: int | None = None
    video_ids: tuple[str, ...] = ()


class TraceRun(TraceItem):
    """A kept run to watch again: its steps, and its answer with what proves it."""

    events: tuple[StepEvent, ...]
    result: AgentAnswer | None = None
    proofs: tuple[ClaimProof, ...] = ()
    """The claims of an answer about videos."""
    claims: tuple[QuotedClaim, ...] = ()
    """The claims of an answer about a story."""


class TraceReplay(Frozen):
    """Whether a run repeated without any model gave the same."""

    trace_id: str
    identical: bool
    difference: str | None = None


@router.get("/info")
def info(state: State) -> ServerInfo:
    """Return the server's version, engine and limits."""
    settings = state.workspace.settings
    _, total = state.workspace.store.catalogue.page(offset=0, limit=1)
    chosen = settings.llm.engine
    others = [name for name in (settings.llm.light, settings.llm.heavy, settings.llm.fallback) if name]
    return ServerInfo(
        version=__version__,
        engine=chosen,
        engines=tuple(dict.fromkeys([chosen, "embedded", *others])),
        language=settings.language,
        videos=total,
        stages=tuple(STAGES),
        max_upload_bytes=state.uploads.max_bytes,
        allows_paths=state.allows_paths,
    )


@router.get("/search")
def search(
    state: State,
    q: Annotated[str, Query(min_length=1, max_length=2000, description="What to look for.")],
    video: Annotated[list[str] | None, Query(description="Ids; all indexed videos by default.")] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    modality: Literal["visual", "audio", "multimodal"] = "multimodal",
) -> SearchResults:
    """Find moments by words."""
    for video_id in video or ():
        state.workspace.store.catalogue.get(video_id)
    return state.workspace.search(q, video, limit=limit, modality=modality)


@router.post("/uploads", status_code=201)
def begin_upload(state: State, asked: UploadRequest) -> Upload:
    """Announce a file; send its bytes in pieces with PATCH, then POST to `finish`."""
    return state.uploads.begin(asked.name, asked.size_bytes)


@router.get("/uploads/{upload_id}")
def get_upload(state: State, upload_id: str) -> Upload:
    """Return how far an upload is, to go on after a break."""
    return state.uploads.get(upload_id)


@router.patch("/uploads/{upload_id}")
async def write_upload(
    state: State, request: Request, upload_id: str, upload_offset: Annotated[int, Header()]
) -> Upload:
    """Append a piece of at most 16 MiB that begins at the header `Upload-Offset`."""
    piece = bytearray()
    async for chunk in request.stream():
        piece += chunk
        if len(piece) > _MAX_PIECE_BYTES:
            raise UserError(f"A piece may have {_MAX_PIECE_BYTES:,} bytes at most.")
    return await run_in_threadpool(state.uploads.write, upload_id, upload_offset, bytes(piece))


@router.post("/uploads/{upload_id}/finish")
def finish_upload(state: State, upload_id: str, index: bool = True) -> UploadDone:
    """Check that the file is a video, add it and begin to index it."""
    record = state.uploads.finish(upload_id)
    job = index_job(state, record.video_id) if index else None
    return UploadDone(video=item_of(state, record), job=job)


@router.delete("/uploads/{upload_id}", status_code=204)
def remove_upload(state: State, upload_id: str) -> Response:
    """Give up an upload."""
    state.uploads.remove(upload_id)
    return Response(status_code=204)


@router.get("/operations")
def list_operations() -> tuple[OperationItem, ...]:
    """Return the atomic operations with their function-calling schemas."""
    return tuple(
        OperationItem(name=one.name, purpose=one.purpose, function=openai_schema(one)["function"])
        for one in all_operations()
    )


@router.post("/operations/{name}")
def run_operation(state: State, name: str, arguments: dict[str, JsonValue]) -> OperationResult:
    """Run one atomic operation on a video of the library."""
    video_id = arguments.get("video_id")
    if video_id is not None:
        if not isinstance(video_id, str):
            raise OpRetry("video_id must be a text, such as vid_0123456789abcdef.")
        state.workspace.store.catalogue.get(video_id)
    outcome = state.workspace.run(name, arguments)
    return OperationResult(result=outcome.result.model_dump(mode="json"), record=outcome.record)


@router.get("/tools")
def list_tools(state: State) -> tuple[Entry, ...]:
    """Return the tools of the workspace with what their admission tests measured."""
    return tuple(state.workspace.tools)


@router.get("/traces")
def list_traces(state: State, limit: Annotated[int, Query(ge=1, le=200)] = 30) -> tuple[TraceItem, ...]:
    """Return the latest kept runs, the newest first."""
    files = TraceFolder(state.workspace.settings.home).all()[-limit:]
    return tuple(_trace_item(file.trace_id, file.read()) for file in reversed(files))


@router.get("/traces/{trace_id}")
def get_trace(state: State, trace_id: str) -> Trace:
    """Return a kept run, whole."""
    return TraceFolder(state.workspace.settings.home).find(trace_id).load()


@router.get("/traces/{trace_id}/run")
def get_run(state: State, trace_id: str) -> TraceRun:
    """Return the steps of a kept run, and its answer with what proves it."""
    file = TraceFolder(state.workspace.settings.home).find(trace_id)
    trace = file.load()
    answer, is_story = trace.answer, trace.loop == "react"
    return TraceRun(
        **_trace_item(file.trace_id, trace).model_dump(),
        events=trace.events,
        result=answer,
        proofs=proofs_of(answer) if answer and not is_story else (),
        claims=quoted_claims(answer) if answer and is_story else (),
    )


@router.post("/traces/{trace_id}/replay")
def replay(state: State, trace_id: str) -> TraceReplay:
    """Repeat a run without any model and compare it to the byte."""
    file = TraceFolder(state.workspace.settings.home).find(trace_id)
    found = replay_trace(file.load())
    return TraceReplay(
        trace_id=file.trace_id, identical=found.is_identical, difference=found.difference or None
    )


def _trace_item(trace_id: str, one: Trace) -> TraceItem:
    answer = one.answer
    return TraceItem(
        trace_id=trace_id,
        started_at=one.started_at,
        question=one.question,
        loop=one.loop,
        engine=one.engine,
        ended=one.ended,
        answer=answer.answer if answer else (one.error or one.ended),
        confidence_score=answer.confidence_score if answer else None,
        video_ids=tuple(video.video_id for video in one.world.videos),
    )
