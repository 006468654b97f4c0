"""API-8 `detect_audio_events`: what is heard besides words."""

from __future__ import annotations

from pydantic import Field

from vidence.errors import OpRetry
from vidence.ops.context import OpContext
from vidence.ops.operation import Operation, Request, Result
from vidence.queries.search.sound_names import known_types, near_types, sound_names
from vidence.schema.frozen import Frozen
from vidence.schema.observations import SoundEvent
from vidence.schema.time import TimeRange

__all__ = ["OPERATION", "AudioEvent", "DetectAudioEventsRequest", "DetectAudioEventsResult"]

_ON_REQUEST = frozenset({"speech", "silence", "clipping"})
"""Types that are reported only when they are asked for by name."""


class DetectAudioEventsRequest(Request):
    """Which video, which part, and which kinds of sound."""

    time_range: TimeRange | None = Field(
        default=None, description="Only sounds heard in this span; null for the whole video."
    )
    event_types: list[str] | None = Field(
        default=None,
        description="Only these kinds, such as music, applause, dog_bark, alarm, or any usual word for a "
        "sound or a kind of sound (siren, animal, 掌声); null for every sound. speech, silence and clipping "
        "are returned only when named.",
    )


class AudioEvent(Frozen):
    """One sound with its start and end."""

    event_type: str
    start_time: float
    end_time: float
    confidence: float
    description: str | None = Field(default=None, description="The more specific name, if there is one.")


class DetectAudioEventsResult(Result):
    """The sounds in order of time; an empty list means that nothing was heard."""

    audio_events: list[AudioEvent]


def run(context: OpContext, request: DetectAudioEventsRequest) -> DetectAudioEventsResult:
    """Answer from the index."""
    wanted = _wanted(request.event_types)
    span = context.check_range(request.video_id, request.time_range)
    heard = context.store.observations.load(request.video_id, "sounds", SoundEvent, span=span)
    return DetectAudioEventsResult(audio_events=[_event(sound) for sound in heard if _fits(sound, wanted)])


def _event(sound: SoundEvent) -> AudioEvent:
    return AudioEvent(
        event_type=sound.event_type,
        start_time=round(sound.start_time, 3),
        end_time=round(sound.end_time, 3),
        confidence=round(sound.confidence, 3),
        description=sound.description or None,
    )


def _fits(sound: SoundEvent, wanted: frozenset[str] | None) -> bool:
    if wanted is None:
        return sound.event_type not in _ON_REQUEST
    return sound.event_type in wanted or sound.description in wanted


def _wanted(asked: list[str] | None) -> frozenset[str] | None:
    """Return the names asked for; None means every sound."""
    if asked is None:
        return None
    wanted: frozenset[str] = frozenset()
    for name in asked:
        found = sound_names(name)
        if not found:
            near = near_types(name)
            hint = (
                f"did you mean {' or '.join(near)}?" if near else f"known types: {', '.join(known_types())}"
            )
            raise OpRetry(f"detect_audio_events: {name!r} is not a kind of sound; {hint}")
        wanted |= found
    return wanted


OPERATION = Operation(
    name="detect_audio_events",
    category="perception",
    purpose="Find sounds other than speech (music, applause, alarms, animals, …) with their times.",
    request=DetectAudioEventsRequest,
    result=DetectAudioEventsResult,
    run=run,
    stages=("sounds",),
    span=lambda request: request.time_range,
    notes=(
        "Music and singing come from a network trained on hours of both. About fifty everyday sounds come "
        "from vidence's own classifier (see its model card). Impacts, beeps, alarms, steady noise and "
        "silence come from signal analysis."
    ),
    version=2,
    example={"event_types": "music,dog_bark"},
)
