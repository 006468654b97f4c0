"""The sound stages: speech and other sounds, each reading the whole sound track."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from vidence.index.pipeline.job import Job
from vidence.index.subtitles.written import find_written
from vidence.media import AudioChunk, read_audio
from vidence.models.cache import MissingModel
from vidence.models.sounds.stream import SoundMemo
from vidence.models.speech.transcriber import EnglishFirst
from vidence.schema.observations import SoundEvent
from vidence.schema.speech import SpeechMemo
from vidence.schema.time import TimeRange

if TYPE_CHECKING:
    from vidence.models.speech.transcriber import WhisperRecognizer

__all__ = ["detect_sounds", "transcribe"]

_log = logging.getLogger(__name__)

_SPEECH_CHUNK_S, _SOUND_CHUNK_S = 30.0, 20.0
_NO_SOUND_S = 0.05
_MOST_NOTES = 5


def transcribe(job: Job) -> None:
    """Store the subtitles of the video; where there are none, recognise its speech."""
    writer = job.writer("transcript")
    memo = writer.load_cursor(SpeechMemo)
    found = find_written(job.places, job.info)
    job.note([warning for one in found for warning in one.warnings])
    written = next((one for one in found if one.utterances), None)
    if written is not None and memo is None:
        with job.store.unit_of_work():
            writer.commit(written.utterances, upto_s=job.duration_s)
            writer.finish()
    else:
        chunks = _chunks(job, _SPEECH_CHUNK_S)
        for step in _recognizer(job).stream(chunks, memo=memo) if _has_sound(job) else ():
            upto_s = min(step.reached_s, job.duration_s)
            writer.commit(step.utterances, upto_s=upto_s, cursor=step.memo.model_dump(mode="json"))
            job.progress("transcript", step.reached_s)
            job.check()
        writer.finish()
    job.report("transcript", 1.0)


def _recognizer(job: Job) -> WhisperRecognizer | EnglishFirst:
    """Choose the speech model; the small one is cheap and knows English only."""
    if job.profile.speech == "base":
        return job.shelf.speech("base")
    try:
        small = job.shelf.speech("small")
    except MissingModel as exc:
        _log.info("using the base speech model, which takes longer: %s", exc)
        return job.shelf.speech("base")
    if not small.is_english_only:
        return small
    return EnglishFirst(small, lambda: job.shelf.speech("base"))


def detect_sounds(job: Job) -> None:
    """Store the sound events: music, laughter, silence and so on."""
    writer = job.writer("sounds")
    for step in job.shelf.sounds.stream(_chunks(job, _SOUND_CHUNK_S), memo=writer.load_cursor(SoundMemo)):
        rows = [
            SoundEvent.of(
                event.event_type,
                round(event.start_time, 3),
                round(event.end_time, 3),
                round(event.confidence, 4),
                event.description,
            )
            for event in step.events
        ]
        upto_s = min(step.reached_s, job.duration_s)
        writer.commit(rows, upto_s=upto_s, cursor=step.memo.model_dump(mode="json"))
        job.progress("sounds", step.reached_s)
    writer.finish()
    job.report("sounds", 1.0)


def _chunks(job: Job, chunk_s: float) -> Iterator[AudioChunk]:
    """Yield the sound from its beginning: after a seek the samples would not be exactly the same."""
    if not _has_sound(job):
        return
    span = TimeRange(start_time=0.0, end_time=job.duration_s)
    lost: tuple[TimeRange, ...] = ()
    skipped = 0
    for chunk in read_audio(job.path, span=span, chunk_s=chunk_s, info=job.info):
        job.check()
        lost, skipped = chunk.lost, chunk.skipped_packets
        yield chunk
    job.note(_sound_notes(lost, skipped))


def _sound_notes(lost: Sequence[TimeRange], skipped: int) -> list[str]:
    """Return in plain words what of the sound could not be read."""
    told = [
        f"no sound could be read from {one.start_time:.1f} s to {one.end_time:.1f} s"
        for one in lost[:_MOST_NOTES]
    ]
    if len(lost) > _MOST_NOTES:
        told.append(f"and no sound in {len(lost) - _MOST_NOTES} more places")
    return [*told, f"damaged: {skipped} stretches of its sound could not be decoded"] if skipped else told


def _has_sound(job: Job) -> bool:
    return bool(job.info.audio) and job.duration_s > _NO_SOUND_S
