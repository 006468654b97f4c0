"""Three listeners, one account: who is believed where they hear the same moment differently."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from vidence.models.sounds.audio_events import AudioEvents
from vidence.models.sounds.audio_events.combine import settle
from vidence.models.sounds.steady import HUM, NOISE, TONE
from vidence.schema.observations import SoundEvent
from vidence.schema.perception import FloatArray
from vidence.schema.time import TimeRange

__all__ = ["Ears", "settle_sounds"]

_EXPLAINED = 0.5
_ALL_OF_IT = 0.8
_SURE = 0.9
_NEAR_S = 0.15
"""A knock's first instant may lie just outside the event that names it."""
_LIKE_NOISE = frozenset({"rain", "music"})
_LIKE_TONES = frozenset(
    {"birds", "car_horn", "chirping_birds", "church_bells", "clock_alarm", "crickets", "insects", "music"}
    | {"phone_ringing", "siren"}
)
"""What our ears call noise that only hisses and tones that only hold."""
_LIKE_SINGING = frozenset(
    {"airplane", "car_horn", "cat", "chainsaw", "church_bells", "cow", "crow", "crying_baby", "dog", "hen"}
    | {"insects", "pig", "rooster", "sheep", "siren"}
)
"""What the network takes for singing; clapping, laughing and steps go along with it."""
_STEADY = (NOISE, HUM)
_HEARD = 0.5
_MEASURED = ("silence", "clipping")
"""What the signal itself shows; no listener can talk it away."""


class Ears:
    """Our own classifier as an analyser of whole blocks."""

    def __init__(self, weights: Path, *, threads: int = 1) -> None:
        self._events = AudioEvents(weights=weights, threads=threads)
        self._lock = Lock()

    def analyse(self, samples: FloatArray) -> list[SoundEvent]:
        """Return the sounds it names, in seconds from the first sample."""
        if not samples.any():
            return []
        with self._lock:
            return self._events.detect(samples)


def settle_sounds(
    classes: Sequence[SoundEvent], named: Sequence[SoundEvent], signals: Sequence[SoundEvent]
) -> list[SoundEvent]:
    """Drop what another listener explains better.

    Args:
        classes: speech, singing and music, from a network trained on hours of them.
        named: our own ears' events.
        signals: silence, clipping, impacts and tones, measured in the signal.
    """
    steady = [event for event in signals if event.event_type in _STEADY or event.description == TONE]
    classes = [e for e in classes if e.event_type == "speech" or _shared(e, steady) < _ALL_OF_IT]
    named = [event for event in named if not _is_only(event, signals)]
    # Music outlasts a bark or a ring; music heard only while one of them sounds is that sound.
    sure = [event for event in named if event.event_type != "music" and event.confidence >= _SURE]
    calls = [event for event in sure if event.description in _LIKE_SINGING]
    voices = [
        event
        for event in classes
        if event.event_type == "speech"
        or (event.event_type == "singing" and _shared(event, calls) < _ALL_OF_IT)
    ]
    beeps = [event for event in signals if event.event_type == "alarm"]
    music = [
        event
        for event in classes
        if event.event_type == "music"
        and _shared(event, sure) < _ALL_OF_IT
        and _shared(event, beeps) < _EXPLAINED
    ]
    kept_named = settle(named, speech=_spans(voices), music=_spans(music))
    kept = [*voices, *music, *kept_named]
    return kept + [event for event in signals if _stands(event, voices, music, kept_named)]


def _stands(
    event: SoundEvent,
    voices: Sequence[SoundEvent],
    music: Sequence[SoundEvent],
    named: Sequence[SoundEvent],
) -> bool:
    """Say whether what the signal shows is nothing that a listener has named."""
    if event.event_type in _MEASURED:
        return True
    if event.event_type == NOISE and event.confidence < _HEARD:
        return False
    others = [*voices, *named] if event.event_type == "alarm" else [*voices, *music, *named]
    return _shared(event, others) < _EXPLAINED


def _is_only(event: SoundEvent, signals: Sequence[SoundEvent]) -> bool:
    """Say whether our ears gave a name to steady noise, to a tone that holds, or to beeps."""
    if event.description in _LIKE_NOISE and _shared(event, _of(signals, NOISE)) >= _ALL_OF_IT:
        return True
    tones = [one for one in signals if one.event_type == HUM or one.description == TONE]
    if event.description in _LIKE_TONES and _shared(event, tones) >= _ALL_OF_IT:
        return True
    is_doubtful = event.description == "phone_ringing" and event.confidence < _SURE
    return is_doubtful and _shared(event, _of(signals, "alarm")) >= _ALL_OF_IT


def _of(events: Sequence[SoundEvent], name: str) -> list[SoundEvent]:
    return [event for event in events if event.event_type == name]


def _spans(events: Sequence[SoundEvent]) -> list[TimeRange]:
    return [
        TimeRange(start_time=e.start_time, end_time=e.end_time) for e in events if e.end_time > e.start_time
    ]


def _shared(event: SoundEvent, others: Sequence[SoundEvent]) -> float:
    """Return the share of `event` that lies inside `others`."""
    inside = sum(
        max(0.0, min(event.end_time, o.end_time + _NEAR_S) - max(event.start_time, o.start_time - _NEAR_S))
        for o in others
    )
    return inside / max(event.end_time - event.start_time, 1e-6)
