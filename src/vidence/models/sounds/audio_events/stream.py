"""Samples in, probabilities out, in stretches of bounded size however long the recording."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from vidence.models.sounds.audio_events import mel
from vidence.models.sounds.audio_events.decide import probabilities
from vidence.models.sounds.audio_events.network import Network

__all__ = ["STRIDE_SAMPLES", "Stream"]

FloatArray = NDArray[np.float32]

STRIDE = 8
STRIDE_SAMPLES = STRIDE * mel.HOP
"""Samples per output frame."""
KEEP = 272
"""Output frames taken from one pass of the network (34.8 s): a block of the sounds stage is one pass."""
CONTEXT = 16
"""Output frames (2 s) run on either side and thrown away: the network sees about that far."""


class Stream:
    """Cuts endless samples into overlapping stretches; holds little more than one stretch."""

    def __init__(self, network: Network) -> None:
        self._network = network
        # Frame windows are centred, so the first one starts half a window before the sound does.
        self._pieces = [np.zeros(mel.WINDOW // 2, np.float32)]
        self._held = mel.WINDOW // 2
        self._received = 0
        self._first = 0
        self._given = 0

    @property
    def held_samples(self) -> int:
        """Samples waiting or kept as context."""
        return self._held

    def push(self, samples: FloatArray) -> Iterator[FloatArray]:
        """Take more samples and yield the probabilities (frames, classes) that are now settled."""
        self._pieces.append(samples)
        self._held += samples.size
        self._received += samples.size
        while self._held >= _span(frames := self._given - self._first + KEEP + CONTEXT):
            yield self._pass(frames, KEEP)

    def finish(self) -> Iterator[FloatArray]:
        """Yield the probabilities of what is left; nothing for no samples."""
        total = -(-self._received // STRIDE_SAMPLES)
        while self._given < total:
            frames = min(total, self._given + KEEP + CONTEXT) - self._first
            missing = max(0, _span(frames) - self._held)
            self._pieces.append(np.zeros(missing, np.float32))
            self._held += missing
            yield self._pass(frames, min(total - self._given, KEEP))

    def _pass(self, frames: int, wanted: int) -> FloatArray:
        """Run the network over the first `frames` output frames held and move on by `wanted`."""
        samples = np.concatenate(self._pieces)
        found = probabilities(self._network.run(mel.log_mel(samples[: _span(frames)])))
        part = found[self._given - self._first :][:wanted]
        self._given += wanted
        first = max(0, self._given - CONTEXT)
        self._pieces = [samples[(first - self._first) * STRIDE_SAMPLES :].copy()]
        self._held = self._pieces[0].size
        self._first = first
        return part


def _span(frames: int) -> int:
    """Return how many samples the windows of `frames` output frames cover."""
    return (frames * STRIDE - 1) * mel.HOP + mel.WINDOW
