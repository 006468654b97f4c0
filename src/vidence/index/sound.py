"""The sound stages, each over its own reading of the sound track."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

from pydantic import JsonValue

from vidence.index.job import Job
from vidence.index.transcript import Listener, find_written, hear
from vidence.media import AudioChunk, read_audio
from vidence.models.cache import MissingModel
from vidence.models.speech_english import EnglishFirst
from vidence.schema.sounds import SoundEvent
from vidence.schema.time import TimeRange

__all__ = ["run_sound"]

_log = logging.getLogger(__name__)

_CHUNK_S = 20.0
_NO_SOUND_S = 0.05


def run_sound(job: Job, stage: str) -> None:
    """Compute one sound stage."""
    _RUNS[stage](job)


def _transcript(job: Job) -> None:
    """Take the words somebody wrote down; where there are none, listen."""
    writer = job.writer("transcript")
    resumed = writer.cursor if isinstance(writer.cursor, dict) else {}
    found = find_written(job.places, job.info)
    for warning in (warning for one in found for warning in one.warnings):
        _log.warning("%s", warning)
    written = next((one for one in found if one.utterances), None)
    if written is not None and not resumed:
        with job.store.db.transaction() as tx:
            writer.commit(written.utterances, upto_s=job.duration_s, connection=tx)
            writer.finish(connection=tx)
    else:
        reached, language = resumed.get("reached_s", 0.0), resumed.get("language")
        steps = hear(
            job.path,
            job.info,
            _recognizer(job),
            from_s=reached if isinstance(reached, int | float) else 0.0,
            language=language if isinstance(language, str) else None,
        )
        for step in steps:
            cursor: dict[str, JsonValue] = {"reached_s": step.reached_s, "language": step.language}
            writer.commit(step.utterances, upto_s=min(step.reached_s, job.duration_s), cursor=cursor)
            job.progress("transcript", min(1.0, step.reached_s / job.duration_s))
            job.check()
        writer.finish()
    job.progress("transcript", 1.0)


def _recognizer(job: Job) -> Listener:
    """Choose the listener; the small one is cheap and hears English only."""
    if job.profile.speech == "base":
        return job.shelf.speech("base")
    try:
        small = job.shelf.speech("small")
    except MissingModel as exc:
        _log.info("listening with the base model, which takes longer: %s", exc)
        return job.shelf.speech("base")
    if not small.is_english_only:
        return small
    return EnglishFirst(small, lambda: job.shelf.speech("base"))


def _sounds(job: Job) -> None:
    """Listen for sounds that are not words."""
    writer = job.writer("sounds")
    for step in job.shelf.sounds.stream(_chunks(job, writer.resume_s)):
        rows = [
            SoundEvent(
                event_type=event.label,
                start_time=round(event.start_s, 3),
                end_time=round(event.end_s, 3),
                confidence=round(event.confidence, 4),
                description=event.description,
            )
            for event in step.events
        ]
        writer.commit(rows, upto_s=min(step.reached_s, job.duration_s))
        job.progress("sounds", min(1.0, step.reached_s / job.duration_s))
    writer.finish()
    job.progress("sounds", 1.0)


def _chunks(job: Job, from_s: float) -> Iterator[AudioChunk]:
    if not job.info.audio or from_s >= job.duration_s - _NO_SOUND_S:
        return
    span = TimeRange(start_time=from_s, end_time=job.duration_s)
    for chunk in read_audio(job.path, span=span, chunk_s=_CHUNK_S, info=job.info):
        job.check()
        yield chunk


_RUNS: dict[str, Callable[[Job], None]] = {"transcript": _transcript, "sounds": _sounds}
