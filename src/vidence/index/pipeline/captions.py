"""The stage `captions`: one brief sentence about each shot, in English and Chinese."""

from __future__ import annotations

from typing import cast

from vidence.index.narrate.assemble import facts_of
from vidence.index.narrate.captioner import captioned
from vidence.index.narrate.describe import Description, describe
from vidence.index.narrate.evidence import gather
from vidence.index.narrate.facts import Facts
from vidence.index.narrate.looking import look_where_unseen
from vidence.index.narrate.voice import Language
from vidence.index.pipeline.job import Job
from vidence.index.scene.words import seems_kept
from vidence.media import VideoReader, open_video
from vidence.models.protocols import Captioner
from vidence.schema.observations import Caption, Segment
from vidence.schema.time import TimeRange

__all__ = ["run_captions"]

_FRAMES = 3
"""Frames of a shot that a vision model is sent."""


def run_captions(job: Job) -> None:
    """Caption every shot, each committed on its own; a resumed run goes on with the next shot."""
    writer = job.writer("captions")
    segments = job.store.segments.load(job.video_id, "fine")
    settings = job.settings
    with open_video(job.path, threads=settings.threads, max_pixels=settings.max_pixels) as reader:
        for segment in segments:
            job.check()
            if segment.start_time < writer.resume_s:
                continue
            writer.commit([_caption(job, segment, reader)], upto_s=segment.end_time)
            job.progress("captions", segment.end_time / max(job.duration_s, 1e-6))
    writer.finish()


def _caption(job: Job, segment: Segment, reader: VideoReader) -> Caption:
    span = TimeRange(start_time=segment.start_time, end_time=segment.end_time)
    shots = look_where_unseen(
        gather(job.store, job.video_id, span, seems=seems_kept(job.shelf)), reader, job.shelf
    )
    facts = facts_of(span, shots, has_sound=bool(job.info.audio))
    en, zh = (_brief(job, facts, language, reader) for language in _LANGUAGES)
    return Caption(
        start_time=segment.start_time,
        end_time=segment.end_time,
        segment_id=segment.segment_id,
        en=en.text,
        zh=zh.text,
        confidence=en.confidence,
    )


_LANGUAGES: tuple[Language, Language] = ("en", "zh")


def _brief(job: Job, facts: Facts, language: Language, reader: VideoReader) -> Description:
    if not job.shelf.has("captions"):
        return describe(facts, detail="brief", language=language)
    captioner = cast("Captioner", job.shelf.get("captions"))
    span = facts.span
    times = [span.start_time + span.duration_s * (index + 0.5) / _FRAMES for index in range(_FRAMES)]
    images = [picture.rgb() for picture in reader.at(times)]
    return captioned(captioner, images, facts, detail="brief", language=language)
