"""Silero VAD over a stream: one speech probability per 32 ms, whatever the length of the recording."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vidence.models.context import ModelContext
from vidence.models.runtime import OnnxModel
from vidence.schema.perception import FloatArray

__all__ = ["VAD_FRAME", "SileroVad", "VadStream", "vad_graph"]

VAD_FRAME = 512
"""Samples per probability: 32 ms at 16 kHz."""
_MODEL = "silero-vad"
_CONTEXT = 64
_STATE = (1, 1, 128)
_REFRESH = 250
"""Frames (8 s) after which the state is reset if there was no voice in any of them."""
_NO_VOICE = 0.1
_LOUD = 0.05
"""Level (root mean square) above which sound is turned down: in loud music the network misses the voice."""
_FALL = 0.995
"""The level falls by half in four seconds, so that the words after a loud moment are not raised at once."""


def vad_graph(context: ModelContext) -> Path:
    """Return the network in its faster form, converted into the cache the first time."""
    return context.converted(_MODEL, "model", "v1.onnx", "vad:convert", growth=4)


class SileroVad:
    """The model; `stream()` starts one recording."""

    def __init__(self, path: Path, *, threads: int = 1) -> None:
        self._model = OnnxModel(path, threads=threads)

    def stream(self) -> VadStream:
        """Return a stream with a fresh state; use it from one thread."""
        return VadStream(self._model)


class VadStream:
    """Turns consecutive samples into speech probabilities."""

    def __init__(self, model: OnnxModel) -> None:
        self._model = model
        self._hidden = np.zeros(_STATE, dtype=np.float32)
        self._cell = np.zeros(_STATE, dtype=np.float32)
        self._context = np.zeros(_CONTEXT, dtype=np.float32)
        self._frames = 0
        """Frames since the last check of the state, and the highest probability among them."""
        self._voice = 0.0
        self._level = 0.0

    def probabilities(self, samples: FloatArray) -> FloatArray:
        """Return one probability per frame; `samples` must be whole frames."""
        frames = self._turned_down(np.asarray(samples, dtype=np.float32).reshape(-1, VAD_FRAME))
        found, at = [np.zeros(0, dtype=np.float32)], 0
        while at < len(frames):
            part = frames[at : at + _REFRESH - self._frames]
            found.append(self._listen(part))
            at += len(part)
            self._look_back(len(part), float(found[-1].max()))
        return np.concatenate(found)

    def _turned_down(self, frames: FloatArray) -> FloatArray:
        """Return the frames, loud stretches no louder than ordinary speech."""
        gains = np.ones((len(frames), 1), dtype=np.float32)
        for index, level in enumerate(np.sqrt(np.square(frames).mean(axis=1)).tolist()):
            self._level = max(level, self._level * _FALL)
            gains[index] = _LOUD / max(self._level, _LOUD)
        return np.ascontiguousarray(frames * gains)

    def _listen(self, frames: FloatArray) -> FloatArray:
        before = np.concatenate([self._context[None], frames[:-1, -_CONTEXT:]])
        found, self._hidden, self._cell = self._model.run(
            {"input": np.concatenate([before, frames], axis=1), "h": self._hidden, "c": self._cell}
        )
        self._context = frames[-1, -_CONTEXT:].copy()
        return np.asarray(found, dtype=np.float32).reshape(-1)

    def _look_back(self, frames: int, voice: float) -> None:
        """Reset the state after a long silence, which makes the network miss the words that follow."""
        self._frames, self._voice = self._frames + frames, max(self._voice, voice)
        if self._frames == _REFRESH:
            if self._voice < _NO_VOICE:
                self._hidden = np.zeros(_STATE, dtype=np.float32)
                self._cell = np.zeros(_STATE, dtype=np.float32)
            self._frames, self._voice = 0, 0.0
