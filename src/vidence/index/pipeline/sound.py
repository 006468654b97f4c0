"""The sound stages, each over its own reading of the sound track."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

from vidence.index.pipeline.job import Job
from vidence.index.transcript import Listener, find_written, hear
from vidence.media import AudioChunk, read_audio
from vidence.models.cache import MissingModel
from vidence.models.sounds.stream import SoundMemo
from vidence.models.speech.english import EnglishFirst
from vidence.schema.observations import SoundEvent
from vidence.schema.speech import SpeechMemo
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
    memo = writer.left(SpeechMemo)
    found = find_written(job.places, job.info)
    for warning in (warning for one in found for warning in one.warnings):
        _log.warning("%s", warning)
    written = next((one for one in found if one.utterances), None)
    if written is not None and memo is None:
        with job.store.unit_of_work():
            writer.commit(written.utterances, upto_s=job.duration_s)
            writer.finish()
    else:
        for step in hear(job.path, job.info, _recognizer(job), memo=memo):
            upto_s = min(step.reached_s, job.duration_s)
            writer.commit(step.utterances, upto_s=upto_s, cursor=step.memo.model_dump(mode="json"))
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
    for step in job.shelf.sounds.stream(_chunks(job), memo=writer.left(SoundMemo)):
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
        job.progress("sounds", min(1.0, step.reached_s / job.duration_s))
    writer.finish()
    job.progress("sounds", 1.0)


def _chunks(job: Job) -> Iterator[AudioChunk]:
    """Yield all of the sound: behind a jump into it the samples would not be the very same."""
    if not job.info.audio or job.duration_s <= _NO_SOUND_S:
        return
    span = TimeRange(start_time=0.0, end_time=job.duration_s)
    for chunk in read_audio(job.path, span=span, chunk_s=_CHUNK_S, info=job.info):
        job.check()
        yield chunk


_RUNS: dict[str, Callable[[Job], None]] = {"transcript": _transcript, "sounds": _sounds}
