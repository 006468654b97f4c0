"""What a video holds, to read: the report shot by shot, and the transcript."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from vidence.app.workspace import Progress, Workspace
from vidence.ops.get_temporal_structure import StructureSegment
from vidence.ops.get_video_info import GetVideoInfoResult
from vidence.queries.report import ShotReport, report_shots
from vidence.queries.subtitles import to_srt, to_vtt
from vidence.schema.speech import Utterance
from vidence.schema.time import format_timecode

__all__ = ["ShotReport", "Transcript", "VideoReport", "read_transcript", "report", "story_of"]

_STAGES = ("shots", "captions", "transcript", "sounds")


class VideoReport(BaseModel):
    """A video's facts, scenes and shots."""

    model_config = ConfigDict(frozen=True)

    video_id: str
    name: str = Field(exclude=True)
    language: Literal["en", "zh"] = Field(exclude=True)
    info: GetVideoInfoResult
    scenes: tuple[StructureSegment, ...]
    shots: tuple[ShotReport, ...]
    gaps: tuple[str, ...] = Field(default=(), exclude=True)
    """Stages that failed, each with its error."""


class Transcript(list[Utterance]):
    """What is said in a video, in order."""

    def __str__(self) -> str:
        return "\n".join(
            f"{format_timecode(one.start_time)}  {' '.join(one.text.splitlines())}" for one in self
        )

    def srt(self) -> str:
        """Return it as SubRip subtitles."""
        return to_srt(self)

    def vtt(self) -> str:
        """Return it as WebVTT subtitles."""
        return to_vtt(self)


def report(
    workspace: Workspace, video: str, *, language: Literal["en", "zh"], progress: Progress | None = None
) -> VideoReport:
    """Return what a video holds, indexing it first where needed; a stage that fails leaves a gap."""
    record = workspace.resolve(video, progress=progress)
    outcomes = workspace.index(record.video_id, stages=_STAGES, progress=progress)
    arguments = {"video_id": record.video_id}
    return VideoReport(
        video_id=record.video_id,
        name=record.name,
        language=language,
        info=workspace.run("get_video_info", arguments).result,
        scenes=workspace.run("get_temporal_structure", arguments).result.segments,
        shots=tuple(report_shots(workspace.store, record.video_id, language=language)),
        gaps=tuple(f"{one.stage}: {one.error}" for one in outcomes if one.error is not None),
    )


def read_transcript(workspace: Workspace, video: str, *, progress: Progress | None = None) -> Transcript:
    """Return what is said in a video, transcribing it first where needed."""
    record = workspace.resolve(video, progress=progress)
    workspace.indexer.ensure(record.video_id, ["transcript"], progress=progress)
    return Transcript(workspace.store.observations.load(record.video_id, "transcript", Utterance))


def story_of(workspace: Workspace, video: str, *, language: Literal["en", "zh"] | None = None) -> str:
    """Return what a video shows and says as a story, a line each in the order of time."""
    told = workspace.report(video, language=language)
    lines = [(shot.start_time, shot.caption) for shot in told.shots if shot.caption]
    speaker, says = ("有人", "说：“{}”") if told.language == "zh" else ("Somebody", "says “{}”")
    lines += [
        (one.start_time, f"{one.speaker or speaker} {says.format(one.text)}")
        for one in read_transcript(workspace, video)
    ]
    return "\n".join(f"[{format_timecode(start)}] {text}" for start, text in sorted(lines))
