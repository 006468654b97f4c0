"""How sound is cut into windows of speech."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from vidence.media import read_audio
from vidence.models.cache import MissingModel, ModelCache
from vidence.models.context import ModelContext
from vidence.models.speech.vad import SileroVad, vad_graph
from vidence.models.speech.windows import RATE, SpeechWindow, cut_windows, find_speech
from vidence.schema.perception import FloatArray
from vidence.schema.time import TimeRange


@dataclass(frozen=True)
class Chunk:
    start_time: float
    samples: FloatArray


@pytest.fixture(scope="module")
def vad(model_cache: ModelCache) -> SileroVad:
    try:
        return SileroVad(vad_graph(ModelContext(model_cache)))
    except MissingModel as exc:
        pytest.skip(str(exc))


@pytest.fixture(scope="module")
def sentence(sample: Path) -> FloatArray:
    span = TimeRange(start_time=4.0, end_time=9.5)
    return np.concatenate([chunk.samples for chunk in read_audio(sample, span=span)])


def spoken(vad: SileroVad, sound: FloatArray) -> list[SpeechWindow]:
    return [window for window in cut_windows([Chunk(0.0, sound)], vad) if window.spans]


@pytest.mark.parametrize(("pause_s", "windows"), [(1, 1), (5, 1), (12, 2), (100, 2)])
def test_speech_after_a_long_pause_is_heard_on_its_own(
    vad: SileroVad, sentence: FloatArray, pause_s: int, windows: int
) -> None:
    sound = np.concatenate([sentence, np.zeros(pause_s * RATE, np.float32), sentence])
    found = spoken(vad, sound)
    assert len(found) == windows
    heard = sum(span.duration_s for window in found for span in window.spans)
    assert heard == pytest.approx(
        2 * sum(span.duration_s for span in spoken(vad, sentence)[0].spans), abs=0.5
    )


def test_windows_follow_each_other_to_the_end(vad: SileroVad, sentence: FloatArray) -> None:
    sound = np.concatenate([sentence, np.zeros(20 * RATE, np.float32)] * 3)
    windows = list(cut_windows([Chunk(7.0, sound)], vad))
    reached = [window.reached_s for window in windows]
    assert reached == sorted(reached)
    assert reached[-1] == pytest.approx(7.0 + len(sound) / RATE)
    for before, window in zip([7.0, *reached], windows, strict=False):
        assert all(
            before - 0.3 <= span.start_s and span.end_s <= window.reached_s + 0.3 for span in window.spans
        )


def test_a_stretch_that_is_never_sure_is_no_speech() -> None:
    doubtful = np.full(60, 0.05, np.float32)
    doubtful[10:40] = 0.45
    assert find_speech(doubtful, final=True) is None
    doubtful[20] = 0.6
    assert find_speech(doubtful, final=True) == (10, 40)
