"""Merge what three analysers heard: decide which to trust where they name the same moment differently."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from vidence.language.tables import words_of
from vidence.models.sounds.audio_events import AudioEvents
from vidence.models.sounds.steady import HUM, NOISE, TONE
from vidence.schema.observations import SoundEvent
from vidence.schema.perception import FloatArray
from vidence.schema.time import TimeRange

__all__ = ["Ears", "settle", "settle_sounds"]

_TABLE = "sound_confusions.tsv"
_MOSTLY, _ALL_OF_IT = 0.5, 0.8
_SURE = 0.9
_NEAR_S = 0.15
"""A knock's first instant may lie just outside the event that names it."""
_AUDIBLE_NOISE = 0.5
_MEASURED = ("silence", "clipping")
"""Measured in the signal itself, so no classifier overrules them."""

Spans = Sequence[SoundEvent] | Sequence[TimeRange]


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
    """Drop the events that another analyser explains better.

    Args:
        classes: speech, singing and music, from a network trained on hours of them.
        named: the events of our own classifier.
        signals: silence, clipping, impacts and tones, measured in the signal.
    """
    steady = [e for e in signals if e.event_type in (NOISE, HUM) or e.description == TONE]
    classes = [e for e in classes if e.event_type == "speech" or _near(e, steady) < _ALL_OF_IT]
    named = [e for e in named if not _is_only(e, signals)]
    # Music outlasts a bark or a ring; music heard only while one of them sounds is that sound.
    sure = [e for e in named if e.event_type != "music" and e.confidence >= _SURE]
    calls = [e for e in sure if e.description in words_of(_TABLE, "singing")]
    singing = [e for e in _of(classes, "singing") if _near(e, calls) < _ALL_OF_IT]
    voices = [e for e in classes if e.event_type == "speech" or e in singing]
    beeps = _of(signals, "alarm")
    music = [e for e in _of(classes, "music") if _near(e, sure) < _ALL_OF_IT and _near(e, beeps) < _MOSTLY]
    kept = settle(named, speech=voices, music=music)
    left = [e for e in signals if _is_unexplained(e, voices, music, kept)]
    return [*voices, *music, *kept, *left]


def settle(events: Sequence[SoundEvent], *, speech: Spans = (), music: Spans = ()) -> list[SoundEvent]:
    """Return the events of our own classifier without those that speech or music explains better.

    A held note passes for a siren and an old recording of a speech for a sheep; the other model, trained
    on hours of both, knows. Our own `music` gives way to its spans, which the caller reports itself.
    """
    return [event for event in events if not _explained(event, speech, music)]


def _explained(event: SoundEvent, speech: Spans, music: Spans) -> bool:
    if event.description == "music":
        return _covered(event, music) > 0
    if event.description in words_of(_TABLE, "music"):
        return _covered(event, music) > _MOSTLY
    doubtful = event.description in words_of(_TABLE, "voice") and event.confidence < _SURE
    return doubtful and _covered(event, speech) > _MOSTLY


def _is_unexplained(
    event: SoundEvent,
    voices: Sequence[SoundEvent],
    music: Sequence[SoundEvent],
    named: Sequence[SoundEvent],
) -> bool:
    """Say whether no classifier has named what the signal analysis found."""
    if event.event_type in _MEASURED:
        return True
    if event.event_type == NOISE and event.confidence < _AUDIBLE_NOISE:
        return False
    others = [*voices, *named] if event.event_type == "alarm" else [*voices, *music, *named]
    return _near(event, others) < _MOSTLY


def _is_only(event: SoundEvent, signals: Sequence[SoundEvent]) -> bool:
    """Say whether our classifier gave a name to mere steady noise, a held tone, or beeps."""
    if event.description in words_of(_TABLE, NOISE) and _near(event, _of(signals, NOISE)) >= _ALL_OF_IT:
        return True
    tones = [one for one in signals if one.event_type == HUM or one.description == TONE]
    if event.description in words_of(_TABLE, TONE) and _near(event, tones) >= _ALL_OF_IT:
        return True
    is_doubtful = event.description == "phone_ringing" and event.confidence < _SURE
    return is_doubtful and _near(event, _of(signals, "alarm")) >= _ALL_OF_IT


def _of(events: Sequence[SoundEvent], name: str) -> list[SoundEvent]:
    return [event for event in events if event.event_type == name]


def _near(event: SoundEvent, others: Spans) -> float:
    return _covered(event, others, slack_s=_NEAR_S)


def _covered(event: SoundEvent, spans: Spans, *, slack_s: float = 0.0) -> float:
    """Return the share of an event that lies inside spans, each widened by a slack."""
    shared = (
        min(event.end_time, span.end_time + slack_s) - max(event.start_time, span.start_time - slack_s)
        for span in spans
    )
    return sum(max(0.0, part) for part in shared) / max(event.end_time - event.start_time, 1e-6)
