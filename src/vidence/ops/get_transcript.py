"""API-7 `get_transcript`: what is said, and when."""

from __future__ import annotations

from pydantic import Field

from vidence.models.speech.speakers import name_speakers
from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Request, Result
from vidence.schema.frozen import Frozen
from vidence.schema.speech import Utterance
from vidence.schema.time import TimeRange

__all__ = ["OPERATION", "GetTranscriptRequest", "GetTranscriptResult", "TranscriptLine"]


class GetTranscriptRequest(Request):
    """Which video, which part, and whether to say who speaks."""

    time_range: TimeRange | None = Field(
        default=None,
        description="Only speech in this span, cut between words if words have times; subtitles stay whole; "
        "null for the whole video.",
    )
    include_speaker_info: bool = Field(
        default=False, description="Whether to distinguish speakers, where their voices allow it."
    )


class TranscriptLine(Frozen):
    """One spoken phrase or one subtitle."""

    start_time: float
    end_time: float
    text: str
    speaker_id: str | None = Field(
        default=None, description="speaker_1, speaker_2, …; null if not requested or not distinguishable."
    )
    confidence: float = Field(description="Probability that this was really said.")


class GetTranscriptResult(Result):
    """The phrases in order of time; an empty list means that nothing is said."""

    transcript: list[TranscriptLine]


def run(context: OpContext, request: GetTranscriptRequest) -> GetTranscriptResult:
    """Answer from the index: subtitles where somebody wrote them, else recognised speech."""
    span = context.check_range(request.video_id, request.time_range)
    load = context.store.observations.load
    said = load(
        request.video_id, "transcript", Utterance, span=None if request.include_speaker_info else span
    )
    if request.include_speaker_info:
        # Speakers are separated over the whole video, so that each keeps the same name in every part.
        said = name_speakers(said)
    heard = said if span is None else [part for one in said if (part := _within(one, span)) is not None]
    return GetTranscriptResult(
        transcript=[_line(one, one.speaker if request.include_speaker_info else None) for one in heard]
    )


def _within(said: Utterance, span: TimeRange) -> Utterance | None:
    """Return the words of an utterance inside the span; all of it if words have no times."""
    if not said.words:
        return said if said.start_time < span.end_time and span.start_time < said.end_time else None
    inside = [
        number
        for number, word in enumerate(said.words)
        if span.start_time <= (word.start_time + word.end_time) / 2 <= span.end_time
    ]
    return said.between(inside[0], inside[-1] + 1) if inside else None


def _line(said: Utterance, speaker: str | None) -> TranscriptLine:
    return TranscriptLine(
        start_time=round(said.start_time, 3),
        end_time=round(said.end_time, 3),
        text=said.text,
        speaker_id=speaker,
        confidence=round(said.confidence, 3),
    )


OPERATION = Operation(
    name="get_transcript",
    category="perception",
    purpose="Get what is said in a video, or in a part of it, as text with times.",
    request=GetTranscriptRequest,
    result=GetTranscriptResult,
    run=run,
    stages=("transcript",),
    span=lambda request: request.time_range,
    notes=(
        "The text comes from a subtitle file beside the video (`film.srt`, else `film.LANGUAGE.srt` in the "
        "spoken language, else in English), else from subtitles inside it, else from speech recognition. "
        "Silence, music and noise give an empty list. Speakers are distinguished only by the pitch of their "
        "voices: a lone voice is speaker_1, and where voices are too similar to tell apart nobody gets a "
        "`speaker_id`."
    ),
    version=3,
    example={"time_range": "10-20"},
)
