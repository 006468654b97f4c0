"""The trained network, from samples of any length to probabilities per frame and calibrated confidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vidence.language.tables import words_of
from vidence.models.runtime import OnnxModel
from vidence.models.sounds import mel
from vidence.models.sounds.audio_events.labels import CLASSES
from vidence.schema.perception import FloatArray

__all__ = [
    "STRIDE_SAMPLES",
    "WEIGHTS",
    "AudioEventNetwork",
    "Logits",
    "ProbabilityStream",
    "confidence",
    "probabilities",
]

WEIGHTS = Path(__file__).parents[2] / "weights" / "audio_events.onnx"
WIDTH = 31
"""Frames (4 s) over which the network says which sound a stretch is."""
STRETCH_SHARE = 0.2
"""The weight of that answer against the frame's own; it decides between two similar sounds."""
SPEECH_WIDTH = 15
SPEECH_DAMPING = 0.4
"""How far talking lowers the probability of sounds a voice can resemble."""

_SPEECH = CLASSES.index("speech")
_LIKE_VOICES = np.array([CLASSES.index(name) for name in sorted(words_of("sound_confusions.tsv", "talking"))])

# Measured on tracks of held-out recordings; see the reliability table in the model card.
_SCORES = (0.0, 0.38, 0.55, 0.65, 0.75, 0.85, 1.0)
_CONFIDENCES = (0.0, 0.53, 0.60, 0.77, 0.83, 0.92, 0.98)
STRIDE = 8
STRIDE_SAMPLES = STRIDE * mel.HOP
"""Samples per output frame."""
KEEP = 272
"""Output frames taken from one pass of the network (34.8 s): a block of the sounds stage is one pass."""
CONTEXT = 16
"""Output frames (2 s) run on either side and thrown away: the network sees about that far."""


@dataclass(frozen=True, slots=True)
class Logits:
    """What the network says of each output frame, three arrays of (frames, classes)."""

    frame: FloatArray
    """Is the sound there now?"""
    clip: FloatArray
    """Which sound is this stretch, if it is one?"""
    attend: FloatArray
    """How much this frame counts for the answer in `clip`."""


class AudioEventNetwork:
    """One inference session, opened on first use."""

    def __init__(self, path: Path = WEIGHTS, *, threads: int = 1) -> None:
        self._model = OnnxModel(path, threads=threads)

    def run(self, mel: FloatArray) -> Logits:
        """Return the logits of log-mel frames (time, mels); eight frames make one output frame."""
        outputs = self._model.run({"mel": mel[None, None]}, ["frame", "clip", "attend"])
        frame, clip, attend = (output[0].T for output in outputs)
        assert frame.shape[1] == len(CLASSES)
        return Logits(frame, clip, attend)


def probabilities(logits: Logits) -> FloatArray:
    """Return how likely each class sounds in each frame, (frames, classes)."""
    now = 1 / (1 + np.exp(-np.clip(logits.frame.astype(np.float64), -30, 30)))
    out = now ** (1 - STRETCH_SHARE) * _stretch(logits) ** STRETCH_SHARE
    talking = _moving_mean(now[:, [_SPEECH]], SPEECH_WIDTH)
    out[:, _LIKE_VOICES] *= 1 - SPEECH_DAMPING * talking
    return out.astype(np.float32)


def confidence(score: float) -> float:
    """Return how often an event of this score was right on recordings outside the training set."""
    return float(np.interp(score, _SCORES, _CONFIDENCES))


def _stretch(logits: Logits) -> NDArray[np.float64]:
    """Return each class's share in the stretch around each frame, by the network's own attention."""
    weight = np.exp(np.clip(logits.attend.astype(np.float64), -8, 8))
    pooled = _moving_mean(weight * logits.clip, WIDTH) / _moving_mean(weight, WIDTH)
    rising = np.exp(pooled - pooled.max(axis=1, keepdims=True))
    return np.asarray(rising / rising.sum(axis=1, keepdims=True))


def _moving_mean(values: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    padded = np.pad(values, ((width // 2 + 1, width // 2), (0, 0)), mode="edge")
    padded[0] = 0
    total = np.cumsum(padded, axis=0)
    return np.asarray((total[width:] - total[:-width]) / width)


class ProbabilityStream:
    """Takes samples of any length in overlapping stretches, and holds little more than one of them."""

    def __init__(self, network: AudioEventNetwork) -> None:
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
