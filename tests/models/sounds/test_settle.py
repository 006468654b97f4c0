"""Speech and music heard by the other model explain some events away."""

from __future__ import annotations

from vidence.models.sounds.audio_events.labels import event_type
from vidence.models.sounds.settle import settle
from vidence.schema.observations import SoundEvent
from vidence.schema.time import TimeRange

SPAN = TimeRange(start_time=10.0, end_time=20.0)


def _event(name: str, start: float, end: float, confidence: float = 0.8) -> SoundEvent:
    return SoundEvent(
        event_type=event_type(name), start_time=start, end_time=end, confidence=confidence, description=name
    )


def test_a_siren_inside_music_is_a_note() -> None:
    siren, dog = _event("siren", 12.0, 15.0), _event("dog", 12.0, 15.0)
    assert settle([siren, dog], music=[SPAN]) == [dog]


def test_a_siren_beside_music_stays() -> None:
    siren = _event("siren", 18.0, 30.0)
    assert settle([siren], music=[SPAN]) == [siren]


def test_a_doubtful_animal_inside_speech_is_a_voice() -> None:
    doubtful, sure = _event("sheep", 12.0, 14.0, 0.75), _event("sheep", 15.0, 17.0, 0.95)
    assert settle([doubtful, sure], speech=[SPAN]) == [sure]


def test_a_cough_inside_speech_stays() -> None:
    cough = _event("coughing", 12.0, 13.0)
    assert settle([cough], speech=[SPAN]) == [cough]


def test_our_music_gives_way_to_the_other_models() -> None:
    ours, alone = _event("music", 12.0, 18.0), _event("music", 40.0, 50.0)
    assert settle([ours, alone], music=[SPAN]) == [alone]


def test_nothing_else_heard_changes_nothing() -> None:
    events = [_event("siren", 1.0, 2.0), _event("music", 3.0, 9.0)]
    assert settle(events) == events
