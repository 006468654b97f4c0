"""The voice network gives the same answers however it is written and however the sound is cut."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vidence.errors import BackendError
from vidence.media import read_audio
from vidence.models.cache import MissingModel, ModelCache
from vidence.models.context import ModelContext
from vidence.models.convert.onnx_graph import read_weights
from vidence.models.convert.vad import convert
from vidence.models.speech.vad import VAD_FRAME, SileroVad, vad_graph
from vidence.schema.perception import FloatArray


@pytest.fixture(scope="module")
def talk(sample: Path) -> FloatArray:
    samples = np.concatenate([chunk.samples for chunk in read_audio(sample)])
    return samples[: len(samples) // VAD_FRAME * VAD_FRAME]


@pytest.fixture(scope="module")
def published(model_cache: ModelCache) -> Path:
    try:
        return model_cache.path("silero-vad", "model")
    except MissingModel as exc:
        pytest.skip(str(exc))


def test_the_faster_graph_says_what_the_published_one_says(
    published: Path, model_cache: ModelCache, talk: FloatArray
) -> None:
    expected = SileroVad(published).stream().probabilities(talk)
    found = SileroVad(vad_graph(ModelContext(model_cache))).stream().probabilities(talk)
    assert expected.max() > 0.9
    assert expected.min() < 0.1
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_memory_carries_over_from_one_piece_to_the_next(model_cache: ModelCache, talk: FloatArray) -> None:
    vad = SileroVad(vad_graph(ModelContext(model_cache)))
    whole, pieces = vad.stream().probabilities(talk), vad.stream()
    cut = 100 * VAD_FRAME
    parts = [pieces.probabilities(part) for part in (talk[:cut], talk[:0], talk[cut:])]
    np.testing.assert_allclose(np.concatenate(parts), whole, atol=1e-4)


def test_a_long_silence_does_not_hide_the_voice_after_it(model_cache: ModelCache, talk: FloatArray) -> None:
    vad = SileroVad(vad_graph(ModelContext(model_cache)))
    words = talk[: 800 * VAD_FRAME]
    silence = np.zeros(2000 * VAD_FRAME, np.float32)
    at_once = vad.stream().probabilities(words)
    late = vad.stream().probabilities(np.concatenate([silence, words]))[2000:]
    np.testing.assert_allclose(late, at_once, atol=0.02)


def test_silence_is_forgotten_alike_however_the_sound_is_cut(
    model_cache: ModelCache, talk: FloatArray
) -> None:
    vad = SileroVad(vad_graph(ModelContext(model_cache)))
    sound = np.concatenate([np.zeros(700 * VAD_FRAME, np.float32), talk[: 500 * VAD_FRAME]])
    stream = vad.stream()
    parts = [
        stream.probabilities(sound[at : at + 77 * VAD_FRAME]) for at in range(0, len(sound), 77 * VAD_FRAME)
    ]
    np.testing.assert_allclose(np.concatenate(parts), vad.stream().probabilities(sound), atol=1e-4)


def test_another_network_is_refused(published: Path, tmp_path: Path) -> None:
    assert "decoder.conv1d.weight" in read_weights(published)
    other = tmp_path / "other.onnx"
    other.write_bytes(published.read_bytes().replace(b"decoder.conv1d.weight", b"decoder.conv9d.weight"))
    with pytest.raises(BackendError, match="not the one that is known"):
        convert(other, tmp_path / "out.onnx")
    other.write_bytes(published.read_bytes()[:5000])
    with pytest.raises(BackendError, match="damaged"):
        convert(other, tmp_path / "out.onnx")


def test_a_louder_recording_is_heard_alike(model_cache: ModelCache, talk: FloatArray) -> None:
    vad = SileroVad(vad_graph(ModelContext(model_cache)))
    loud = talk[: 800 * VAD_FRAME] * (0.8 / np.abs(talk).max())
    louder = vad.stream().probabilities(loud * 4)
    assert np.abs(vad.stream().probabilities(loud) - louder).mean() < 0.05
