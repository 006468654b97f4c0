"""Whisper that hears no more silence than it must, and writes down several windows at once.

The weights are read once for all windows. The encoder was trained on thirty seconds, silence filled in; its
work grows with the square of them, and two seconds of silence at the end do as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from ctranslate2 import StorageView  # type: ignore[import-untyped]
from faster_whisper import WhisperModel  # type: ignore[import-untyped]
from faster_whisper.feature_extractor import FeatureExtractor  # type: ignore[import-untyped]
from faster_whisper.transcribe import get_compression_ratio  # type: ignore[import-untyped]
from numpy.typing import NDArray

if TYPE_CHECKING:
    from faster_whisper.tokenizer import Tokenizer  # type: ignore[import-untyped]
    from faster_whisper.transcribe import TranscriptionOptions

__all__ = ["BatchedWhisper"]

_MAX_FRAMES = 3000
_SILENCE_FRAMES = 190
"""Without nearly two seconds of nothing after the last word Whisper repeats it or misses it."""
_SHORT_FRAMES = 500
"""Over a cough or a grunt that fills a fifth of what it hears Whisper invents words: short windows get all
the silence of its training."""
_STEP_FRAMES = 1000
"""Windows of about one length get exactly one length, so that they can be written down together."""

Written = tuple[Any, float, float, float]
"""Result, mean log probability, temperature and compression, as `WhisperModel` hands them on."""


class BatchedWhisper(WhisperModel):  # type: ignore[misc]
    """Gives the same words; what was written ahead is used once, where it would have been written."""

    feature_extractor: FeatureExtractor
    feat_kwargs: dict[str, Any]

    def __init__(self, folder: str, **options: Any) -> None:
        super().__init__(folder, **options)
        if self.model.n_mels != self.feature_extractor.mel_filters.shape[0]:
            # The sizes from large-v3 on listen to 128 bands, and not every folder says so.
            self.feat_kwargs = {**self.feat_kwargs, "feature_size": self.model.n_mels}
            self.feature_extractor = FeatureExtractor(**self.feat_kwargs)
        self._ahead: dict[int, Written] = {}

    def hear(self, features: NDArray[np.float32]) -> StorageView:
        """Encode a window's mel frames (mels, frames) with the silence it needs after them."""
        is_short = features.shape[1] <= _SHORT_FRAMES
        return super().encode(_pad(features, _MAX_FRAMES if is_short else 0))

    def encode(self, features: NDArray[np.float32]) -> StorageView:
        """Encode what an answer left out of its window; it comes with silence up to thirty seconds."""
        sounding = np.flatnonzero(features.any(axis=0))
        return super().encode(_pad(features[:, : int(sounding[-1]) + 1 if len(sounding) else 0], 0))

    def write_ahead(
        self, windows: Sequence[StorageView], tokenizer: Tokenizer, options: TranscriptionOptions
    ) -> None:
        """Write down encoded windows of one language together, by greedy search."""
        prompt = self.get_prompt(tokenizer, self._before(tokenizer, options), without_timestamps=False)
        results = self.model.generate(
            StorageView.from_array(np.concatenate([np.asarray(window) for window in windows])),
            [prompt] * len(windows),
            beam_size=1,
            max_length=len(prompt) + options.max_new_tokens,
            return_scores=True,
            return_no_speech_prob=True,
            suppress_blank=options.suppress_blank,
            suppress_tokens=options.suppress_tokens,
            max_initial_timestamp_index=round(options.max_initial_timestamp / self.time_precision),
        )
        for window, result in zip(windows, results, strict=True):
            tokens = result.sequences_ids[0]
            mean = result.scores[0] * len(tokens) / (len(tokens) + 1)
            text = tokenizer.decode(tokens).strip()
            self._ahead[id(window)] = result, mean, 0.0, get_compression_ratio(text)

    def forget(self, window: StorageView) -> None:
        """Let go of what was written ahead for a window and not used."""
        self._ahead.pop(id(window), None)

    def generate_with_fallback(
        self,
        encoder_output: StorageView,
        prompt: list[int],
        tokenizer: Tokenizer,
        options: TranscriptionOptions,
    ) -> Written:
        """Return what was written ahead for this very window, or write it now."""
        ahead = self._ahead.pop(id(encoder_output), None)
        if ahead is not None:
            return ahead
        written = super().generate_with_fallback(encoder_output, prompt, tokenizer, options)
        return cast("Written", written)

    def _before(self, tokenizer: Tokenizer, options: TranscriptionOptions) -> list[int]:
        if options.initial_prompt is None:
            return []
        return list(tokenizer.encode(" " + options.initial_prompt.strip()))


def _pad(features: NDArray[np.float32], at_least: int) -> NDArray[np.float32]:
    """Add empty frames: the silence Whisper needs, then up to the next of a few lengths."""
    content = min(features.shape[1], _MAX_FRAMES)
    steps = -(-max(content + _SILENCE_FRAMES, at_least) // _STEP_FRAMES)
    window = np.zeros((features.shape[0], min(_MAX_FRAMES, steps * _STEP_FRAMES)), dtype=np.float32)
    window[:, :content] = features[:, :content]
    return window
