"""The small English model writes down English only, and calls the large one when in doubt."""

from __future__ import annotations

from pathlib import Path

import pytest

from vidence.media import read_audio
from vidence.models.cache import MissingModel, ModelCache
from vidence.models.context import ModelContext
from vidence.models.speech.transcriber import (
    EnglishFirst,
    WhisperRecognizer,
    build,
    build_tiny_en,
    reads_as_english,
)
from vidence.models.speech.whisper import HeardSegment
from vidence.schema.perception import SpeechWord
from vidence.schema.speech import SpeechProgress
from vidence.schema.time import TimeRange

ENGLISH_S, CHINESE_S = (4.0, 22.0), (36.5, 42.5)
"""Where each language is spoken in the sample."""


class Chunk:
    def __init__(self, sample: Path, span_s: tuple[float, float], *, at_s: float) -> None:
        span = TimeRange(start_time=span_s[0], end_time=span_s[1])
        (only,) = read_audio(sample, span=span, chunk_s=60.0)
        self.start_time, self.samples = at_s, only.samples


@pytest.fixture(scope="module")
def small(model_cache: ModelCache) -> WhisperRecognizer:
    return opened(model_cache, "small")


@pytest.fixture(scope="module")
def large(model_cache: ModelCache) -> WhisperRecognizer:
    return opened(model_cache, "large")


def opened(cache: ModelCache, size: str) -> WhisperRecognizer:
    try:
        return (build_tiny_en if size == "small" else build)(ModelContext(cache, threads=2))
    except MissingModel as exc:
        pytest.skip(str(exc))


def never() -> WhisperRecognizer:
    pytest.fail("the large model was called for English")


def written(text: str, probability: float, *, compression: float = 1.2) -> list[HeardSegment]:
    words = tuple(SpeechWord(word, 0.0, 0.1, probability) for word in text.split())
    return [HeardSegment(text, 0.0, 5.0, words, "en", probability, 0.1, compression)]


SENTENCE = "the old man walked slowly down to the harbour at night"


def test_sure_words_are_english() -> None:
    assert reads_as_english(written(SENTENCE, 0.9), is_known=False)


def test_unsure_words_prove_english_only_amid_english() -> None:
    assert not reads_as_english(written(SENTENCE, 0.7), is_known=False)
    assert reads_as_english(written(SENTENCE, 0.7), is_known=True)
    assert not reads_as_english(written(SENTENCE, 0.6), is_known=True)


def test_a_few_words_prove_nothing_at_the_start() -> None:
    assert not reads_as_english(written("thank you", 0.95), is_known=False)
    assert reads_as_english(written("thank you", 0.95), is_known=True)
    assert not reads_as_english([], is_known=True)


def test_going_round_in_circles_proves_nothing_however_sure() -> None:
    assert not reads_as_english(written("to be able " * 20, 0.97), is_known=True)
    assert not reads_as_english(written(SENTENCE, 0.97, compression=2.6), is_known=True)


def test_the_large_model_stays_closed_over_english(small: WhisperRecognizer, sample: Path) -> None:
    steps = list(EnglishFirst(small, never).stream([Chunk(sample, ENGLISH_S, at_s=0.0)]))
    assert "green eyes" in " ".join(u.text for u in SpeechProgress.gather(steps))
    assert steps[-1].language == "en"


def test_another_language_is_written_by_the_large_model(
    small: WhisperRecognizer, large: WhisperRecognizer, sample: Path
) -> None:
    chinese = Chunk(sample, CHINESE_S, at_s=0.0)
    listener = EnglishFirst(small, lambda: large)
    for language in (None, "zh"):
        (only,) = SpeechProgress.gather(listener.stream([chinese], language=language))
        assert only.language == "zh"
        assert "右" in only.text


def test_a_change_of_language_is_noticed_midway(
    small: WhisperRecognizer, large: WhisperRecognizer, sample: Path
) -> None:
    sound = [Chunk(sample, ENGLISH_S, at_s=0.0), Chunk(sample, CHINESE_S, at_s=100.0)]
    steps = list(EnglishFirst(small, lambda: large).stream(sound))
    languages = [u.language for u in SpeechProgress.gather(steps)]
    assert languages[0] == "en"
    assert languages[-1] == "zh"
    assert steps[-1].language == "zh"
