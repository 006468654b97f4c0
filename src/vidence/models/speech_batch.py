"""Whisper that writes down several windows at once, so that its weights are read once for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from ctranslate2 import StorageView  # type: ignore[import-untyped]
from faster_whisper import WhisperModel  # type: ignore[import-untyped]
from faster_whisper.transcribe import get_compression_ratio  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from faster_whisper.tokenizer import Tokenizer  # type: ignore[import-untyped]
    from faster_whisper.transcribe import TranscriptionOptions

__all__ = ["BatchedWhisper"]

Written = tuple[Any, float, float, float]
"""Result, mean log probability, temperature and compression, as `WhisperModel` hands them on."""


class BatchedWhisper(WhisperModel):  # type: ignore[misc]
    """Gives the same words; what was written ahead is used once, where it would have been written."""

    def __init__(self, folder: str, **options: Any) -> None:
        super().__init__(folder, **options)
        self._ahead: dict[int, Written] = {}

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
