"""Routes of the library: videos, their files, pictures, lanes, transcripts and reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, PlainTextResponse
from pydantic import Field

from vidence.app.clips import cut_clip
from vidence.app.pages import report_page, style_policy
from vidence.app.paths import expand
from vidence.app.pictures import MAX_SIDE, exact_frame, poster, thumbnail
from vidence.app.report import VideoReport
from vidence.app.speakers import name_speakers, named_speakers
from vidence.app.timeline import VideoLanes, lanes_of
from vidence.errors import VidenceError
from vidence.schema.catalogue import VideoRecord
from vidence.schema.frozen import Frozen
from vidence.schema.jobs import JobRow
from vidence.schema.speech import Utterance
from vidence.web.state import ServerState, State

__all__ = ["router"]

router = APIRouter(prefix="/api/videos", tags=["videos"])

_YEAR = "private, max-age=31536000, immutable"
"""A video's id is its content, so what is made from it never changes."""
_BRIEF = "private, max-age=3600"
Seconds = Annotated[float, Query(ge=0, description="Seconds from the first frame.")]


class VideoItem(Frozen):
    """A video of the library."""

    video_id: str
    name: str
    duration_s: float
    width: int
    height: int
    fps: float
    has_audio: bool
    size_bytes: int
    added_at: float
    is_indexed: bool
    """True when it can be searched and asked."""
    stages_done: int
    problems: dict[str, str] = Field(default_factory=dict)
    """Stages that failed, with their errors."""
    job: JobRow | None = None
    """The indexing that is under way."""


class VideoPage(Frozen):
    """Some videos of the library, the last added first."""

    items: tuple[VideoItem, ...]
    total: int
    offset: int


class StageItem(Frozen):
    """How one stage of a video's index stands."""

    stage: str
    state: str
    progress: float
    made_with: str
    error: str | None = None


class AddRequest(Frozen):
    """Videos to add."""

    path: str = Field(description="A file, a folder that is searched for videos, or a glob.", max_length=4096)
    index: bool = Field(default=True, description="Index them at once.")


class AddedVideos(Frozen):
    """What was added, and what could not be."""

    videos: tuple[VideoItem, ...]
    jobs: tuple[JobRow, ...]
    problems: tuple[str, ...] = ()


class SpeakerNames(Frozen):
    """Speakers and the names they were given."""

    names: dict[str, str]


class TranscriptPage(Frozen):
    """What is said in a video."""

    utterances: tuple[Utterance, ...]
    names: dict[str, str]
    is_done: bool
    """False while the video is not transcribed."""


@router.get("")
def list_videos(
    state: State,
    query: Annotated[str, Query(max_length=200, description="Words in the file's path.")] = "",
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 60,
) -> VideoPage:
    """Return a page of the library."""
    rows, total = state.workspace.store.catalogue.page(offset=offset, limit=limit, name=query.strip())
    return VideoPage(items=tuple(item_of(state, row) for row in rows), total=total, offset=offset)


@router.post("", status_code=202)
def add_videos(state: State, asked: AddRequest) -> AddedVideos:
    """Add videos by their path on this machine and begin to index them."""
    path = state.allowed(asked.path)
    added: list[VideoRecord] = []
    problems: list[str] = []
    for name in expand([str(path)], lambda _, problem: problems.append(str(problem))):
        try:
            added.append(state.workspace.add(state.allowed(name)).video)
        except VidenceError as exc:
            problems.append(str(exc))
    jobs = [index_job(state, video.video_id) for video in added] if asked.index else []
    items = tuple(item_of(state, video) for video in added)
    return AddedVideos(videos=items, jobs=tuple(jobs), problems=tuple(problems))


@router.get("/{video_id}")
def get_video(state: State, video_id: str) -> VideoItem:
    """Return one video."""
    return item_of(state, state.workspace.store.catalogue.get(video_id))


@router.delete("/{video_id}", status_code=204)
def remove_video(state: State, video_id: str) -> Response:
    """Remove a video and everything computed from it; the file itself stays."""
    state.workspace.store.catalogue.get(video_id)
    job = _active_job(state, video_id)
    if job is not None:
        state.runner.cancel(job.job_id)
    state.workspace.remove(video_id)
    return Response(status_code=204)


@router.get("/{video_id}/stages")
def get_stages(state: State, video_id: str) -> tuple[StageItem, ...]:
    """Return the state of each stage of a video's index."""
    state.workspace.store.catalogue.get(video_id)
    return tuple(
        StageItem(
            stage=one.stage, state=one.state, progress=one.progress, made_with=one.made_with, error=one.error
        )
        for one in state.workspace.status(video_id)
    )


@router.get("/{video_id}/file", response_class=FileResponse)
def get_file(state: State, video_id: str) -> FileResponse:
    """Return the video itself; ranges are answered."""
    record = state.workspace.store.catalogue.get(video_id)
    path = state.workspace.store.catalogue.locate(video_id)
    kind = _MEDIA_TYPES.get(path.suffix.lower(), "application/octet-stream")
    return FileResponse(
        path, media_type=kind, headers={"cache-control": _BRIEF, "etag": f'"{record.sha256[:32]}"'}
    )


@router.get("/{video_id}/poster", response_class=Response)
def get_poster(state: State, request: Request, video_id: str) -> Response:
    """Return a JPEG that stands for the video."""
    return _jpeg(request, f"{video_id}-poster", lambda: poster(state.workspace, video_id))


@router.get("/{video_id}/thumbnail", response_class=Response)
def get_thumbnail(state: State, request: Request, video_id: str, t: Seconds) -> Response:
    """Return a small JPEG near a time, at most 320 pixels wide."""
    state.workspace.store.catalogue.get(video_id)
    return _jpeg(request, f"{video_id}-{t:.1f}", lambda: thumbnail(state.workspace, video_id, t))


@router.get("/{video_id}/frame", response_class=Response)
def get_frame(
    state: State,
    request: Request,
    video_id: str,
    t: Seconds,
    side: Annotated[int, Query(ge=16, le=MAX_SIDE, description="Pixels on the longer side.")] = 768,
) -> Response:
    """Return the exact frame shown at a time as JPEG."""
    return _jpeg(
        request, f"{video_id}-{t:.3f}-{side}", lambda: exact_frame(state.workspace, video_id, t, side=side)
    )


@router.get("/{video_id}/lanes")
def get_lanes(state: State, video_id: str) -> VideoLanes:
    """Return the video along its time: scenes, shots, speech, sounds, text and identities."""
    return lanes_of(state.workspace, video_id)


@router.get("/{video_id}/transcript")
def get_transcript(state: State, video_id: str) -> TranscriptPage:
    """Return what is said, as far as it is transcribed."""
    store = state.workspace.store
    store.catalogue.get(video_id)
    row = store.stages.get(video_id, "transcript")
    return TranscriptPage(
        utterances=tuple(store.observations.load(video_id, "transcript", Utterance)),
        names=named_speakers(state.workspace, video_id),
        is_done=row is not None and row.is_done,
    )


@router.get("/{video_id}/subtitles.{form}", response_class=PlainTextResponse)
def get_subtitles(state: State, video_id: str, form: Literal["srt", "vtt"]) -> PlainTextResponse:
    """Return the transcript as SubRip or WebVTT."""
    said = state.workspace.transcript(state.workspace.store.catalogue.get(video_id).video_id)
    kind = "text/vtt" if form == "vtt" else "application/x-subrip"
    return PlainTextResponse(said.vtt() if form == "vtt" else said.srt(), media_type=kind)


@router.put("/{video_id}/speakers")
def put_speakers(state: State, video_id: str, asked: SpeakerNames) -> SpeakerNames:
    """Name speakers; an empty name takes a name back."""
    return SpeakerNames(names=name_speakers(state.workspace, video_id, asked.names))


@router.get("/{video_id}/report")
def get_report(state: State, video_id: str, language: Literal["en", "zh"] = "en") -> VideoReport:
    """Return what an indexed video holds, shot by shot."""
    state.workspace.store.catalogue.get(video_id)
    return state.workspace.report(video_id, language=language)


@router.get("/{video_id}/page", response_class=HTMLResponse)
def report_as_page(state: State, video_id: str, language: Literal["en", "zh"] = "en") -> HTMLResponse:
    """Return the report as one HTML page to keep."""
    page = report_page(state.workspace, get_report(state, video_id, language))
    return HTMLResponse(page, headers={"content-security-policy": style_policy(page)})


@router.get("/{video_id}/clip", response_class=Response)
def get_clip(
    state: State,
    video_id: str,
    start: Seconds,
    end: Annotated[float, Query(gt=0, description="At most two minutes after `start`.")],
) -> Response:
    """Return a part of the video as MP4, cut to the frame."""
    name = f"clip_{start:.1f}-{end:.1f}s.mp4"
    clip = cut_clip(state.workspace, video_id, start, end)
    headers = {"cache-control": _BRIEF, "content-disposition": f'attachment; filename="{name}"'}
    return Response(clip, media_type="video/mp4", headers=headers)


_MEDIA_TYPES = {
    ".mp4": "video/mp4", ".m4v": "video/mp4", ".mov": "video/mp4", ".webm": "video/webm",
    ".mkv": "video/x-matroska", ".ogv": "video/ogg", ".avi": "video/x-msvideo", ".ts": "video/mp2t",
}  # fmt: skip


def item_of(state: ServerState, record: VideoRecord) -> VideoItem:
    """Return a video as the page lists it."""
    media, rows = record.info, state.workspace.store.stages.all(record.video_id)
    return VideoItem(
        video_id=record.video_id,
        name=record.name.encode(errors="replace").decode(),
        duration_s=round(media.duration_s, 3),
        width=media.video.width,
        height=media.video.height,
        fps=round(float(media.video.fps), 3),
        has_audio=bool(media.audio),
        size_bytes=record.size_bytes,
        added_at=record.added_at,
        is_indexed=any(row.is_done and row.stage == "shots" for row in rows),
        stages_done=sum(row.is_done for row in rows),
        problems={row.stage: row.error for row in rows if row.state == "failed" and row.error},
        job=_active_job(state, record.video_id),
    )


def index_job(state: ServerState, video_id: str, profile: str | None = None) -> JobRow:
    """Begin to index a video, or return the job that is at it."""
    return state.runner.join("index", {"video": video_id, "profile": profile}, subject=video_id)


def _active_job(state: ServerState, video_id: str) -> JobRow | None:
    return state.runner.active("index", video_id)


def _jpeg(request: Request, tag: str, make: Callable[[], bytes]) -> Response:
    """Return a picture; a browser that has it already is told so without making it again."""
    headers = {"cache-control": _YEAR, "etag": f'"{tag}"'}
    if request.headers.get("if-none-match") == f'"{tag}"':
        return Response(status_code=304, headers=headers)
    return Response(make(), media_type="image/jpeg", headers=headers)
