"""What `AudioEvents` hears, and what it does with sound that is not as it should be."""

from __future__ import annotations

import os
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from vidence.errors import BackendError, UserError
from vidence.models.sounds.audio_events import EVENT_TYPES, AudioEvents
from vidence.models.sounds.audio_events.labels import CLASSES, SILENT_CLASSES, event_type
from vidence.models.sounds.audio_events.network import WEIGHTS
from vidence.models.sounds.mel import SAMPLE_RATE

Samples = NDArray[np.float32]


@pytest.fixture(scope="module")
def ears() -> AudioEvents:
    return AudioEvents()


@pytest.fixture(scope="module")
def shared() -> Path:
    folder = Path(os.environ.get("VIDENCE_SHARED") or Path(__file__).parents[5] / "shared")
    if not (folder / "media").is_dir():
        pytest.skip("the shared media are not here; set VIDENCE_SHARED")
    return folder


def _decode(path: Path) -> Samples:
    resampler = av.AudioResampler("flt", "mono", SAMPLE_RATE)
    with av.open(str(path)) as container:
        frames = [out for frame in container.decode(audio=0) for out in resampler.resample(frame)]
    return np.concatenate([frame.to_ndarray()[0] for frame in frames]).astype(np.float32)


@pytest.fixture(scope="module")
def composite(shared: Path) -> Samples:
    return _decode(shared / "media" / "videos" / "composite.mp4")


@pytest.mark.parametrize(
    ("name", "start", "end"),
    [
        ("sneeze", 16.4, 19.9),
        ("helicopter", 30.0, 35.0),
        ("dog_bark", 41.87, 46.87),
        ("sea_waves", 127.13, 132.13),
    ],
)
def test_the_sounds_of_the_composite_are_where_its_timeline_says(
    ears: AudioEvents, composite: Samples, name: str, start: float, end: float
) -> None:
    (event,) = [event for event in ears.detect(composite) if event.event_type == name]
    assert abs(event.start_time - start) <= 0.5
    assert abs(event.end_time - end) <= 1.0
    assert event.confidence > 0.7


def test_chunks_give_what_the_whole_gives(ears: AudioEvents, composite: Samples) -> None:
    part = composite[: 50 * SAMPLE_RATE]
    whole = ears.detect(part)
    for start in range(0, part.size, 12_345):
        ears.feed(part[start : start + 12_345], start / SAMPLE_RATE)
    assert ears.finish() == whole


def test_times_count_from_the_first_chunk(ears: AudioEvents, composite: Samples) -> None:
    part = composite[40 * SAMPLE_RATE : 49 * SAMPLE_RATE]
    ears.feed(part, 100.0)
    (event,) = ears.finish()
    assert event.event_type == "dog_bark"
    assert 101.0 < event.start_time < 103.0


def test_a_gap_ends_what_was_sounding(ears: AudioEvents, composite: Samples) -> None:
    bark = composite[int(41.8 * SAMPLE_RATE) : int(44.8 * SAMPLE_RATE)]
    ears.feed(bark, 0.0)
    ears.feed(bark, 60.0)
    first, second = ears.finish()
    assert first.end_time <= 3.0
    assert second.start_time >= 60.0


@pytest.mark.parametrize("name", ["sam2_dog", "sam2_coffee"])
def test_nothing_is_heard_on_silent_clips(ears: AudioEvents, shared: Path, name: str) -> None:
    assert ears.detect(_decode(shared / "media" / "videos" / f"{name}.mp4")) == []


@pytest.mark.parametrize("level", [0.0, 1e-4, 1e-3])
def test_nothing_is_heard_in_silence_and_faint_noise(ears: AudioEvents, level: float) -> None:
    noise = np.random.default_rng(0).normal(size=60 * SAMPLE_RATE) * level
    assert ears.detect(noise.astype(np.float32)) == []


@pytest.mark.parametrize("length", [0, 1, 2, 639, 2049])
def test_the_shortest_sounds_are_borne(ears: AudioEvents, length: int) -> None:
    assert ears.detect(np.zeros(length, np.float32)) == []


def test_nan_infinity_and_overload_do_not_spread(ears: AudioEvents, composite: Samples) -> None:
    part = composite[40 * SAMPLE_RATE : 49 * SAMPLE_RATE].copy()
    part[100:200] = np.nan
    part[300], part[301], part[302] = np.inf, -np.inf, 40.0
    assert [event.event_type for event in ears.detect(part)].count("dog_bark") == 1


@pytest.mark.parametrize("rate", [8_000, 44_100, 48_000])
def test_a_wrong_rate_is_refused_with_the_cure(ears: AudioEvents, rate: int) -> None:
    with pytest.raises(UserError, match=f"{rate} Hz; resample it to 16000 Hz"):
        ears.feed(np.zeros(100, np.float32), 0.0, sample_rate=rate)


def test_stereo_and_integers_are_refused(ears: AudioEvents) -> None:
    with pytest.raises(UserError, match="mix its channels down"):
        ears.feed(np.zeros((2, 100), np.float32), 0.0)
    with pytest.raises(UserError, match="floats between -1 and 1"):
        ears.feed(np.zeros(100, np.int16), 0.0)


def test_chunks_out_of_order_are_refused() -> None:
    ears = AudioEvents()
    ears.feed(np.zeros(SAMPLE_RATE, np.float32), 5.0)
    with pytest.raises(UserError, match="feed in order"):
        ears.feed(np.zeros(SAMPLE_RATE, np.float32), 2.0)


def test_a_time_that_is_no_number_is_refused(ears: AudioEvents) -> None:
    with pytest.raises(UserError, match="cannot start at nan"):
        ears.feed(np.zeros(10, np.float32), float("nan"))


def test_missing_weights_say_so(tmp_path: Path) -> None:
    with pytest.raises(BackendError, match=r"nothing\.onnx"):
        AudioEvents(weights=tmp_path / "nothing.onnx").detect(np.zeros(100, np.float32))


def test_the_least_confidence_is_kept(composite: Samples) -> None:
    events = AudioEvents(least_confidence=0.95).detect(composite)
    assert events
    assert all(event.confidence >= 0.95 for event in events)


def test_the_seed_vocabulary_is_spoken() -> None:
    wanted = {
        "music",
        "applause",
        "laughter",
        "door_knock",
        "glass_breaking",
        "car_horn",
        "footsteps",
        "alarm",
    }
    assert wanted | {"phone_ringing"} <= set(EVENT_TYPES)
    assert len(CLASSES) == len(set(CLASSES)) == 53
    assert {event_type(name) for name in CLASSES} - set(EVENT_TYPES) == SILENT_CLASSES


def test_the_weights_are_small_and_credited() -> None:
    assert WEIGHTS.stat().st_size <= 3_000_000
    credits = WEIGHTS.with_name("audio_events.CREDITS.txt").read_text(encoding="utf-8")
    assert credits.count("clip derived from") == 1401
