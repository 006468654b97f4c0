"""The derived stages: captions of the shots, and vectors of every text about the video."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from vidence.index.narrate.assemble import facts_of
from vidence.index.narrate.captioner import captioned
from vidence.index.narrate.describe import Description, describe
from vidence.index.narrate.evidence import gather
from vidence.index.narrate.facts import Facts, ShotFacts
from vidence.index.narrate.phases import shot_phases
from vidence.index.narrate.unseen import analyse_unseen
from vidence.index.narrate.voice import Language
from vidence.index.pipeline.job import Job
from vidence.index.scene.likeness import vector_places
from vidence.media import VideoReader, open_video
from vidence.models.protocols import Captioner
from vidence.schema.observations import Caption, TextSeen
from vidence.schema.speech import Utterance
from vidence.schema.time import TimeRange
from vidence.store import VectorRow

__all__ = ["caption_shots", "embed_texts", "split_label"]

_LANGUAGES: tuple[Language, Language] = ("en", "zh")
_CAPTION_FRAMES = 3
"""Frames of a shot that a vision model is sent."""
_BATCH = 32
_MIN_TEXT = 0.7
_MIN_CAPTION = 0.4
"""A caption that only says that nothing could be named would match every question."""
_SEPARATOR = ": "


@dataclass(frozen=True)
class _Text:
    start_time: float
    end_time: float
    source: str
    text: str


def caption_shots(job: Job) -> None:
    """Store a brief sentence about each phase of each shot, in both languages; a resumed run goes on."""
    writer = job.writer("captions")
    segments = job.store.segments.load(job.video_id, "fine")
    settings = job.settings
    with open_video(job.path, threads=settings.threads, max_pixels=settings.max_pixels) as reader:
        for segment in segments:
            job.check()
            if segment.start_time < writer.resume_s:
                continue
            span = TimeRange(start_time=segment.start_time, end_time=segment.end_time)
            phases = shot_phases(job.store, job.video_id, span)
            rows = [_caption(job, segment.segment_id, phase, reader) for phase in phases]
            writer.commit(rows, upto_s=segment.end_time)
            job.progress("captions", segment.end_time)
    writer.finish()


def _caption(job: Job, segment_id: str, span: TimeRange, reader: VideoReader) -> Caption:
    shots = analyse_unseen(
        gather(job.store, job.video_id, span, place_scores=vector_places(job.shelf)), reader, job.shelf
    )
    facts = facts_of(span, shots, has_sound=bool(job.info.audio))
    en, zh = (_brief(job, facts, language, reader) for language in _LANGUAGES)
    return Caption(
        start_time=span.start_time,
        end_time=span.end_time,
        segment_id=segment_id,
        en=en.text,
        zh=zh.text,
        confidence=en.confidence,
    )


def _brief(job: Job, facts: Facts, language: Language, reader: VideoReader) -> Description:
    if not job.shelf.has("captions"):
        return describe(facts, detail="brief", language=language)
    captioner = cast("Captioner", job.shelf.get("captions"))
    span = facts.span
    times = [
        span.start_time + span.duration_s * (index + 0.5) / _CAPTION_FRAMES
        for index in range(_CAPTION_FRAMES)
    ]
    images = [picture.rgb() for picture in reader.at(times)]
    return captioned(captioner, images, facts, detail="brief", language=language)


def embed_texts(job: Job) -> None:
    """Embed every text about the video: captions, speech, on-screen text, names of what is seen."""
    writer = job.writer("text_vectors")
    entries = sorted(_entries(job), key=lambda entry: (entry.start_time, entry.source, entry.text))
    done = int(writer.cursor) if isinstance(writer.cursor, int | float) else 0
    for first in range(done, len(entries), _BATCH):
        job.check()
        batch = entries[first : first + _BATCH]
        vectors = job.shelf.text.embed([entry.text for entry in batch])
        rows = [
            VectorRow(entry.start_time, entry.end_time, f"{entry.source}{_SEPARATOR}{entry.text}", vector)
            for entry, vector in zip(batch, vectors, strict=True)
        ]
        fraction = (first + len(batch)) / len(entries)
        writer.commit(vectors=rows, upto_s=fraction * job.duration_s, cursor=first + len(batch))
        job.report("text_vectors", fraction)
    writer.finish()


def split_label(label: str) -> tuple[str, str]:
    """Return the source (caption, speech, text, seen) and the text a vector stands for."""
    source, _, text = label.partition(_SEPARATOR)
    return source, text


def _entries(job: Job) -> Iterable[_Text]:
    load = job.store.observations.load
    for caption in load(job.video_id, "captions", Caption):
        if caption.confidence < _MIN_CAPTION:
            continue
        for text in (caption.en, caption.zh):
            yield _Text(caption.start_time, caption.end_time, "caption", text)
    for said in load(job.video_id, "transcript", Utterance):
        if said.text.strip():
            yield _Text(said.start_time, said.end_time, "speech", said.text.strip())
    yield from _read(load(job.video_id, "ocr", TextSeen))
    for segment in job.store.segments.load(job.video_id, "fine"):
        span = TimeRange(start_time=segment.start_time, end_time=segment.end_time)
        facts = facts_of(span, gather(job.store, job.video_id, span), has_sound=True)
        for text in _named(facts.shots[0]):
            yield _Text(segment.start_time, segment.end_time, "seen", text)


def _read(rows: Sequence[TextSeen]) -> Iterable[_Text]:
    """Yield each line of text once, from when it is first read to when it is last."""
    spans: dict[str, tuple[float, float]] = {}
    for row in rows:
        for line in row.lines:
            if line.confidence >= _MIN_TEXT and line.text.strip():
                start, _ = spans.get(line.text.strip(), (row.start_time, 0.0))
                spans[line.text.strip()] = (start, row.end_time)
    return [_Text(start, end, "text", text) for text, (start, end) in spans.items()]


def _named(shot: ShotFacts) -> list[str]:
    """Return the words for what a shot holds: each thing with its colour, people, actions."""
    words = [f"{thing.colour} {thing.name.en}" if thing.colour else thing.name.en for thing in shot.things]
    words += ["people" if shot.people.count > 1 else "person"] if shot.people else []
    return list(dict.fromkeys([*words, *(action.en for action in shot.actions)]))
