"""One window of speech through Whisper (CTranslate2): words with times and confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from vidence.errors import BackendError
from vidence.language.tables import read_table
from vidence.models.runtime import OpenOnce
from vidence.models.speech.windows import RATE
from vidence.schema.perception import FloatArray, SpeechWord

if TYPE_CHECKING:
    from ctranslate2 import StorageView  # type: ignore[import-untyped]
    from faster_whisper.tokenizer import Tokenizer  # type: ignore[import-untyped]
    from faster_whisper.transcribe import Segment, TranscriptionOptions  # type: ignore[import-untyped]

    from vidence.models.speech.batch import BatchedWhisper

__all__ = ["Encoded", "HeardSegment", "Whisper", "simplify"]

_ENCODER_RATE = 50
"""Encoder steps per second."""
_IGNORED_LANGUAGES = frozenset({"la", "nn", "yi"})
"""Whisper names these for noise and odd accents far more often than for themselves."""
_TAIL_S = 0.6
_MAX_TOKENS, _MAX_TOKENS_PER_S = 200, 12
"""Nobody speaks faster: a longer answer repeats itself."""
_CHINESE_PROMPT = "嗯，好。"
"""Given before the sound, it makes Whisper punctuate Chinese.

Where Whisper cannot make out the speech it copies its prompt, so the prompt is a filler that says nothing and
is dropped like other phantoms. Marks without a word make it write marks for ever.
"""
_LONG_S = 5.0
"""Longer windows share one limit, so that they fit one batch."""


@dataclass(frozen=True)
class HeardSegment:
    """One phrase, in seconds from the start of the window, with the model's own scores."""

    text: str
    start_s: float
    end_s: float
    words: tuple[SpeechWord, ...]
    language: str
    word_probability: float
    no_speech: float
    compression: float


@dataclass(frozen=True)
class Encoded:
    """A window after the encoder, from which languages and words are decoded."""

    features: FloatArray
    output: StorageView
    duration_s: float


class Whisper:
    """A Whisper model folder, opened on first use; safe to call from many threads."""

    def __init__(self, folder: Path, *, threads: int = 2) -> None:
        self._model = OpenOnce(lambda: _load(folder, threads))

    @property
    def is_multilingual(self) -> bool:
        return bool(self._model.get().model.is_multilingual)

    def encode(self, samples: FloatArray) -> Encoded:
        """Run the encoder over at most 30 s of sound."""
        model = self._model.get()
        features = np.asarray(model.feature_extractor(samples), dtype=np.float32)
        try:
            return Encoded(features, model.hear(features), len(samples) / RATE)
        except (RuntimeError, ValueError) as exc:
            raise BackendError(f"Whisper failed to encode a window: {exc}") from exc

    def languages(
        self, encoded: Encoded, *, start_s: float = 0.0, end_s: float | None = None
    ) -> dict[str, float]:
        """Return how probable each language is, in the whole window or a part of it."""
        if not self.is_multilingual:
            return {"en": 1.0}
        view = encoded.output if end_s is None else self._slice(encoded, start_s, end_s)
        try:
            found = self._model.get().model.detect_language(view)[0]
        except (RuntimeError, ValueError) as exc:
            raise BackendError(f"Whisper failed to tell the language: {exc}") from exc
        kept = {token.strip("<|>"): float(p) for token, p in found}
        kept = {name: p for name, p in kept.items() if name not in _IGNORED_LANGUAGES}
        total = sum(kept.values()) or 1.0
        return {name: p / total for name, p in kept.items()}

    def write_ahead(self, windows: Sequence[Encoded], language: str) -> None:
        """Decode windows in batches, which costs less than one by one; `decode` then gives the words."""
        for kind in dict.fromkeys(_kind(one) for one in windows):
            alike = [one for one in windows if _kind(one) == kind]
            if len(alike) > 1:
                self._write_alike(alike, language)

    def _write_alike(self, windows: Sequence[Encoded], language: str) -> None:
        """Decode windows of one encoded length and one limit of tokens in one batch."""
        tokenizer, options = self._options(windows[0], language, no_repeats=False)
        try:
            self._model.get().write_ahead([one.output for one in windows], tokenizer, options)
        except (RuntimeError, ValueError) as exc:
            raise BackendError(f"Whisper failed to transcribe {len(windows)} windows: {exc}") from exc

    def forget(self, encoded: Encoded) -> None:
        """Drop the unused batch result of a window."""
        self._model.get().forget(encoded.output)

    def decode(self, encoded: Encoded, language: str, *, no_repeats: bool = False) -> list[HeardSegment]:
        """Transcribe the window in `language`; `no_repeats` forbids the same four tokens twice."""
        model = self._model.get()
        tokenizer, options = self._options(encoded, language, no_repeats=no_repeats)
        found: list[Segment] = []
        try:
            for segment in model.generate_segments(
                encoded.features, tokenizer, options, False, encoded.output
            ):
                found.append(segment)
                # Going on would encode the last breath of the window as if it were a new one.
                if segment.end >= encoded.duration_s - _TAIL_S:
                    break
        except (RuntimeError, ValueError) as exc:
            raise BackendError(f"Whisper failed to transcribe a window: {exc}") from exc
        finally:
            model.forget(encoded.output)
        return [_heard(segment, language) for segment in found if segment.words]

    def _options(
        self, encoded: Encoded, language: str, *, no_repeats: bool
    ) -> tuple[Tokenizer, TranscriptionOptions]:
        from faster_whisper.tokenizer import Tokenizer
        from faster_whisper.transcribe import TranscriptionOptions

        tokenizer = Tokenizer(
            self._model.get().hf_tokenizer, self.is_multilingual, task="transcribe", language=language
        )
        options = TranscriptionOptions(
            beam_size=1,
            best_of=1,
            patience=1,
            length_penalty=1,
            repetition_penalty=1,
            no_repeat_ngram_size=4 if no_repeats else 0,
            log_prob_threshold=None,
            no_speech_threshold=None,
            compression_ratio_threshold=None,
            condition_on_previous_text=False,
            prompt_reset_on_temperature=0.5,
            # Zero only: sampling would give another transcript on every run.
            temperatures=[0.0],
            initial_prompt=_CHINESE_PROMPT if language == "zh" else None,
            prefix=None,
            suppress_blank=True,
            suppress_tokens=_silent_tokens(tokenizer),
            without_timestamps=False,
            max_initial_timestamp=1.0,
            word_timestamps=True,
            prepend_punctuations="\"'“¿([{-",
            append_punctuations="\"'.。,，!！?？:：”)]}、",
            multilingual=False,
            max_new_tokens=_max_tokens(encoded),
            clip_timestamps="0",
            hallucination_silence_threshold=None,
            hotwords=None,
        )
        return tokenizer, options

    def _slice(self, encoded: Encoded, start_s: float, end_s: float) -> StorageView:
        from ctranslate2 import StorageView

        steps = np.asarray(encoded.output)
        first, last = int(start_s * _ENCODER_RATE), max(int(end_s * _ENCODER_RATE), 1)
        return StorageView.from_array(np.ascontiguousarray(steps[:, min(first, last - 1) : last]))


def _kind(encoded: Encoded) -> tuple[int, int]:
    return int(encoded.output.shape[1]), _max_tokens(encoded)


def _max_tokens(encoded: Encoded) -> int:
    is_long = encoded.duration_s > _LONG_S
    return _MAX_TOKENS if is_long else 16 + int(encoded.duration_s * _MAX_TOKENS_PER_S)


def _load(folder: Path, threads: int) -> BatchedWhisper:
    from vidence.models.speech.batch import BatchedWhisper

    try:
        return BatchedWhisper(
            str(folder),
            device="cpu",
            compute_type="int8",
            # A second thread on two cores costs half a second while the model opens, and saves nothing.
            cpu_threads=max(1, threads // 2),
            local_files_only=True,
        )
    except Exception as exc:  # CTranslate2 and tokenizers raise several unrelated kinds.
        raise BackendError(f"The speech model in {folder} cannot be opened: {exc}") from exc


def _heard(segment: Segment, language: str) -> HeardSegment:
    words = tuple(_word(text, start, end, p, language) for text, start, end, p in _parts(segment))
    return HeardSegment(
        text="".join(word.text for word in words).strip(),
        start_s=float(segment.start),
        end_s=float(segment.end),
        words=tuple(
            SpeechWord(word.text.strip(), word.start_s, word.end_s, word.confidence)
            for word in words
            if word.text.strip()
        ),
        language=language,
        word_probability=float(np.mean([word.confidence for word in words])),
        no_speech=float(segment.no_speech_prob),
        compression=float(segment.compression_ratio),
    )


def _parts(segment: Segment) -> Sequence[tuple[str, float, float, float]]:
    return [(w.word, float(w.start), float(w.end), float(w.probability)) for w in segment.words or ()]


def _word(text: str, start_s: float, end_s: float, probability: float, language: str) -> SpeechWord:
    return SpeechWord(simplify(text) if language == "zh" else text, start_s, end_s, min(1.0, probability))


def _silent_tokens(tokenizer: Tokenizer) -> list[int]:
    """Return the tokens never to write: brackets, notes and the model's control tokens."""
    control = tokenizer.transcribe, tokenizer.translate, tokenizer.sot, tokenizer.sot_prev, tokenizer.sot_lm
    return sorted({*tokenizer.non_speech_tokens, *control})


def simplify(text: str) -> str:
    """Return `text` with the commonest traditional characters written the simplified way."""
    return text.translate(_simplified())


@lru_cache(maxsize=1)
def _simplified() -> dict[int, str]:
    rows = read_table("traditional.tsv")
    return {ord(old): new for many, few in rows for old, new in zip(many, few, strict=True)}
