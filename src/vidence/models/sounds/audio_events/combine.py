"""Settle what our ears heard with what a model of speech and music heard."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.schema.observations import SoundEvent
from vidence.schema.time import TimeRange

__all__ = ["settle"]

_LIKE_MUSIC = frozenset({"church_bells", "clock_alarm", "music", "phone_ringing", "siren"})
_LIKE_VOICES = frozenset(
    {
        "breathing",
        "cat",
        "cow",
        "crow",
        "crying_baby",
        "dog",
        "drinking_sipping",
        "frog",
        "hen",
        "pig",
        "rooster",
    }
    | {"sheep", "snoring"}
)
_SURE = 0.9
_MOSTLY = 0.5


def settle(
    events: Sequence[SoundEvent], *, speech: Sequence[TimeRange] = (), music: Sequence[TimeRange] = ()
) -> list[SoundEvent]:
    """Return the events without those that speech or music around them explains better.

    A held note passes for a siren and an old recording of a speech for a sheep; the other model, trained
    on hours of both, knows. Our own `music` gives way to its spans, which the caller reports itself.
    """
    return [event for event in events if not _explained(event, speech, music)]


def _explained(event: SoundEvent, speech: Sequence[TimeRange], music: Sequence[TimeRange]) -> bool:
    if event.description == "music":
        return bool(music) and _covered(event, music) > 0
    if event.description in _LIKE_MUSIC:
        return _covered(event, music) > _MOSTLY
    doubtful = event.description in _LIKE_VOICES and event.confidence < _SURE
    return doubtful and _covered(event, speech) > _MOSTLY


def _covered(event: SoundEvent, spans: Sequence[TimeRange]) -> float:
    length = max(event.end_time - event.start_time, 1e-6)
    shared = [max(0.0, min(event.end_time, s.end_time) - max(event.start_time, s.start_time)) for s in spans]
    return sum(shared) / length
