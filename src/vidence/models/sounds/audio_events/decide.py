"""From logits to probabilities per frame, and from an event's score to a calibrated confidence."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vidence.models.sounds.audio_events.labels import CLASSES
from vidence.models.sounds.audio_events.network import Logits

__all__ = ["confidence", "probabilities"]

FloatArray = NDArray[np.float32]

WIDTH = 31
"""Frames (4 s) over which the network is asked which sound a stretch is."""
STRETCH_SHARE = 0.2
"""How much that answer weighs against the frame's own; it settles which of two like sounds it is."""
SPEECH_WIDTH = 15
SPEECH_DAMPING = 0.4
"""How far talking lowers the belief in sounds a voice can resemble."""

_SPEECH = CLASSES.index("speech")
_VOICES = np.array(
    [
        CLASSES.index(name)
        for name in (
            "breathing", "cat", "church_bells", "coughing", "cow", "crow", "crying_baby", "dog",
            "drinking_sipping", "frog", "hen", "laughing", "pig", "rooster", "sheep", "siren", "sneezing",
            "snoring",
        )
    ]
)  # fmt: skip

# Measured on tracks of held-out recordings; see the reliability table in the model card.
_SCORES = (0.0, 0.38, 0.55, 0.65, 0.75, 0.85, 1.0)
_CONFIDENCES = (0.0, 0.53, 0.60, 0.77, 0.83, 0.92, 0.98)


def probabilities(logits: Logits) -> FloatArray:
    """Return how likely each class sounds in each frame, (frames, classes)."""
    now = 1 / (1 + np.exp(-np.clip(logits.frame.astype(np.float64), -30, 30)))
    out = now ** (1 - STRETCH_SHARE) * _stretch(logits) ** STRETCH_SHARE
    talking = _moving_mean(now[:, [_SPEECH]], SPEECH_WIDTH)
    out[:, _VOICES] *= 1 - SPEECH_DAMPING * talking
    return out.astype(np.float32)


def confidence(score: float) -> float:
    """Return how often an event of this score was right on recordings the network had not heard."""
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
