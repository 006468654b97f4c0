"""Sound events from the network and from plain signal analysis."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from vidence.media import read_audio
from vidence.models.cache import MissingModel, ModelCache
from vidence.models.context import ModelContext
from vidence.models.protocols import SoundClassifier
from vidence.models.sounds.detector import SoundEvents, build
from vidence.models.sounds.signal import SignalAnalyser
from vidence.models.sounds.stream import SoundMemo, join_events, listen
from vidence.schema.observations import SoundEvent
from vidence.schema.perception import FloatArray

RATE = 16000


@dataclass(frozen=True)
class Chunk:
    start_time: float
    samples: FloatArray


@pytest.fixture(scope="module")
def sounds(model_cache: ModelCache) -> SoundEvents:
    try:
        return build(ModelContext(model_cache))
    except MissingModel as exc:
        pytest.skip(str(exc))


def seconds(length: float) -> FloatArray:
    return np.asarray(np.arange(int(length * RATE)) / RATE, np.float32)


def beeps(length: float = 6.0, hertz: float = 1000.0) -> FloatArray:
    t = seconds(length)
    return np.asarray(0.3 * np.sin(2 * np.pi * hertz * t) * (t % 1 < 0.3), np.float32)


def pieces(samples: FloatArray, size_s: float, start_s: float = 0.0) -> Iterator[Chunk]:
    step = int(size_s * RATE)
    for first in range(0, len(samples), step):
        yield Chunk(start_s + first / RATE, samples[first : first + step])


def labels(events: list[SoundEvent]) -> set[str]:
    return {event.event_type for event in events}


def test_it_is_a_sound_classifier(sounds: SoundEvents) -> None:
    assert isinstance(sounds, SoundClassifier)
    assert sounds.classify(np.zeros(0, np.float32)) == []


def test_digital_silence_is_only_silence(sounds: SoundEvents) -> None:
    (only,) = sounds.classify(np.zeros(10 * RATE, np.float32))
    assert only.event_type == "silence"
    assert (only.start_time, only.end_time) == pytest.approx((0, 10), abs=0.05)
    assert only.confidence > 0.95


def test_the_sample_has_music_speech_and_knocks_where_they_are(sounds: SoundEvents, sample: Path) -> None:
    found = [e for step in sounds.stream(read_audio(sample, chunk_s=11.0)) for e in step.events]
    music = next(e for e in found if e.event_type == "music")
    assert music.start_time < 1
    assert 3 < music.end_time < 5.5
    knocks = [e for e in found if e.event_type == "impact"]
    assert knocks
    assert all(15.5 < knock.start_time < 17 for knock in knocks)
    assert sum(e.end_time - e.start_time for e in found if e.event_type == "speech") > 15
    (alarm,) = [e for e in found if e.event_type == "alarm"]
    assert (alarm.start_time, alarm.end_time) == pytest.approx((23.2, 24.45), abs=0.2)


def test_chunk_size_does_not_change_the_events(sounds: SoundEvents, sample: Path) -> None:
    whole = [e for step in sounds.stream(read_audio(sample, chunk_s=60.0)) for e in step.events]
    small = [e for step in sounds.stream(read_audio(sample, chunk_s=0.9)) for e in step.events]
    assert [(e.event_type, round(e.start_time, 1)) for e in small] == [
        (e.event_type, round(e.start_time, 1)) for e in whole
    ]


def test_repeated_beeps_are_an_alarm_and_not_music(sounds: SoundEvents) -> None:
    found = sounds.classify(beeps())
    assert "alarm" in labels(found)
    assert "music" not in labels(found)


def test_noise_is_no_voice_music_or_alarm(sounds: SoundEvents) -> None:
    noise = np.random.default_rng(0).normal(0, 0.1, 6 * RATE).astype(np.float32)
    wrong = {"speech", "singing", "music", "alarm", "beep", "impact", "clipping", "silence"}
    assert not labels(sounds.classify(noise)) & wrong


def test_a_bang_in_a_quiet_room_is_an_impact() -> None:
    rng = np.random.default_rng(1)
    sound = rng.normal(0, 0.001, 3 * RATE)
    sound[RATE : RATE + 3200] += rng.normal(0, 0.5, 3200) * np.exp(-np.arange(3200) / 500)
    (bang,) = [e for e in SignalAnalyser().analyse(sound.astype(np.float32)) if e.event_type == "impact"]
    assert bang.start_time == pytest.approx(1.0, abs=0.05)


def test_overdriven_sound_is_clipping_and_loud_sound_is_not() -> None:
    wave = np.sin(2 * np.pi * 200 * seconds(3))
    assert "clipping" in labels(SignalAnalyser().analyse(np.clip(3 * wave, -1, 1).astype(np.float32)))
    assert "clipping" not in labels(SignalAnalyser().analyse((0.95 * wave).astype(np.float32)))


def test_an_event_across_blocks_is_one_event() -> None:
    quiet = np.zeros(75 * RATE, np.float32)
    steps = list(listen(pieces(quiet, 10.0, 100.0), [SignalAnalyser()]))
    assert [s.events for s in steps[:-1]] == [()] * (len(steps) - 1)
    assert [s.reached_s for s in steps] == pytest.approx([130, 160, 175])
    (only,) = steps[-1].events
    assert (only.start_time, only.end_time) == pytest.approx((100, 175), abs=0.05)


def test_what_ends_while_another_sound_goes_on_is_told_at_once() -> None:
    hiss = np.random.default_rng(2).normal(0, 0.1, 70 * RATE).astype(np.float32)
    hiss[5 * RATE : 8 * RATE] = 0
    hiss[35 * RATE : 38 * RATE] = 0
    told = [[e.event_type for e in step.events] for step in listen(pieces(hiss, 10.0), [SignalAnalyser()])]
    assert "silence" in told[0]
    assert "silence" in told[1]


def test_listening_that_was_stopped_goes_on_to_the_same_events() -> None:
    rng = np.random.default_rng(4)
    sound = rng.normal(0, 0.05, 130 * RATE).astype(np.float32)
    sound[20 * RATE : 41 * RATE] = np.tile(beeps(1.0), 21)
    sound[55 * RATE : 95 * RATE] = 0
    steps = list(listen(pieces(sound, 7.0), [SignalAnalyser()]))
    assert [len(step.memo.going_on) > 0 for step in steps] == [True, True, True, True, False]
    for number, step in enumerate(steps, 1):
        memo = SoundMemo.model_validate(json.loads(json.dumps(step.memo.model_dump(mode="json"))))
        assert list(listen(pieces(sound, 7.0), [SignalAnalyser()], memo=memo)) == steps[number:]


def test_events_of_one_label_merge_and_others_do_not() -> None:
    found = join_events(
        [SoundEvent.of("a", 0, 1, 0.5), SoundEvent.of("b", 0.5, 2, 0.9), SoundEvent.of("a", 1, 2, 0.7)]
    )
    assert [(e.event_type, e.start_time, e.end_time) for e in found] == [("a", 0, 2), ("b", 0.5, 2)]
    assert found[0].confidence == pytest.approx(0.6)
