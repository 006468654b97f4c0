"""Whisper with less padding, which decodes several windows in one batch.

The weights are read once for all windows. The encoder was trained on thirty seconds, padded with silence; its
work grows with the square of the length, and two seconds of silence at the end do as well.
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
"""Without nearly two seconds of silence after the last word Whisper repeats or misses it."""
_SHORT_FRAMES = 500
"""Whisper invents words over a cough that fills a fifth of its input: short windows get full padding."""
_STEP_FRAMES = 1000
"""Windows of about the same length are padded to the same length, so that they fit one batch."""

Written = tuple[Any, float, float, float]
"""Result, mean log probability, temperature and compression, as in `WhisperModel`."""


class BatchedWhisper(WhisperModel):  # type: ignore[misc]
    """Gives the same words as `WhisperModel`; a window's result from a batch is used once."""

    feature_extractor: FeatureExtractor
    feat_kwargs: dict[str, Any]

    def __init__(self, folder: str, **options: Any) -> None:
        super().__init__(folder, **options)
        if self.model.n_mels != self.feature_extractor.mel_filters.shape[0]:
            # The sizes from large-v3 on use 128 mel bands, and not every folder says so.
            self.feat_kwargs = {**self.feat_kwargs, "feature_size": self.model.n_mels}
            self.feature_extractor = FeatureExtractor(**self.feat_kwargs)
        self._ahead: dict[int, Written] = {}

    def hear(self, features: NDArray[np.float32]) -> StorageView:
        """Encode a window's mel frames (mels, frames) with the silence it needs after them."""
        is_short = features.shape[1] <= _SHORT_FRAMES
        return super().encode(_pad(features, _MAX_FRAMES if is_short else 0))

    def encode(self, features: NDArray[np.float32]) -> StorageView:
        """Encode the rest of a window that an answer left out, without its padding up to 30 s."""
        sounding = np.flatnonzero(features.any(axis=0))
        return super().encode(_pad(features[:, : int(sounding[-1]) + 1 if len(sounding) else 0], 0))

    def write_ahead(
        self, windows: Sequence[StorageView], tokenizer: Tokenizer, options: TranscriptionOptions
    ) -> None:
        """Decode encoded windows of one language in one batch, by greedy search."""
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
        """Drop the unused result of a window."""
        self._ahead.pop(id(window), None)

    def generate_with_fallback(
        self,
        encoder_output: StorageView,
        prompt: list[int],
        tokenizer: Tokenizer,
        options: TranscriptionOptions,
    ) -> Written:
        """Return the result this window got in a batch, or decode it now."""
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
