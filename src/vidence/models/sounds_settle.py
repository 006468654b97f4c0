"""Three listeners, one account: who is believed where they hear the same moment differently."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from vidence.models.audio_events import AudioEvents
from vidence.models.audio_events.combine import settle
from vidence.schema.perception import FloatArray, SoundEvent
from vidence.schema.sounds import SoundEvent as NamedSound
from vidence.schema.time import TimeRange

__all__ = ["Ears", "settle_sounds"]

_EXPLAINED = 0.5
_ALL_OF_IT = 0.8
_SURE = 0.9
_NEAR_S = 0.15
"""A knock's first instant may lie just outside the event that names it."""
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
            found = self._events.detect(samples)
        return [
            SoundEvent(e.event_type, e.start_time, e.end_time, e.confidence, e.description) for e in found
        ]


def settle_sounds(
    classes: Sequence[SoundEvent], named: Sequence[SoundEvent], signals: Sequence[SoundEvent]
) -> list[SoundEvent]:
    """Drop what another listener explains better.

    Args:
        classes: speech, singing and music, from a network trained on hours of them.
        named: our own ears' events.
        signals: silence, clipping, impacts and tones, measured in the signal.
    """
    voices = [event for event in classes if event.label in ("speech", "singing")]
    # Music outlasts a bark or a ring; music heard only while one of them sounds is that sound.
    sure = [event for event in named if event.label != "music" and event.confidence >= _SURE]
    beeps = [event for event in signals if event.label == "alarm"]
    music = [
        event
        for event in classes
        if event.label == "music" and _shared(event, sure) < _ALL_OF_IT and _shared(event, beeps) < _EXPLAINED
    ]
    kept_named = _believable(named, voices, music)
    explained = [*voices, *music, *kept_named]
    kept = [*voices, *music, *kept_named]
    for event in signals:
        others = [*voices, *kept_named] if event.label == "alarm" else explained
        if event.label in _MEASURED or _shared(event, others) < _EXPLAINED:
            kept.append(event)
    return kept


def _believable(
    named: Sequence[SoundEvent], voices: Sequence[SoundEvent], music: Sequence[SoundEvent]
) -> list[SoundEvent]:
    events = [
        NamedSound(
            event_type=e.label, start_time=e.start_s, end_time=e.end_s, confidence=e.confidence,
            description=e.description,
        )
        for e in named
    ]  # fmt: skip
    believed = settle(events, speech=_spans(voices), music=_spans(music))
    return [SoundEvent(e.event_type, e.start_time, e.end_time, e.confidence, e.description) for e in believed]


def _spans(events: Sequence[SoundEvent]) -> list[TimeRange]:
    return [TimeRange(start_time=e.start_s, end_time=e.end_s) for e in events if e.end_s > e.start_s]


def _shared(event: SoundEvent, others: Sequence[SoundEvent]) -> float:
    """Return the share of `event` that lies inside `others`."""
    inside = sum(
        max(0.0, min(event.end_s, o.end_s + _NEAR_S) - max(event.start_s, o.start_s - _NEAR_S))
        for o in others
    )
    return inside / max(event.end_s - event.start_s, 1e-6)
