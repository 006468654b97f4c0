"""The trained network: log-mel frames in, logits per output frame out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vidence.models.runtime import OnnxModel
from vidence.models.sounds.audio_events.labels import CLASSES

__all__ = ["WEIGHTS", "Logits", "Network"]

FloatArray = NDArray[np.float32]

WEIGHTS = Path(__file__).parents[2] / "weights" / "audio_events.onnx"


@dataclass(frozen=True, slots=True)
class Logits:
    """What the network says of each output frame, three arrays of (frames, classes)."""

    frame: FloatArray
    """Is the sound there now?"""
    clip: FloatArray
    """Which sound is this stretch, if it is one?"""
    attend: FloatArray
    """How much this frame counts for the answer in `clip`."""


class Network:
    """One inference session, opened on first use."""

    def __init__(self, path: Path = WEIGHTS, *, threads: int = 1) -> None:
        self._model = OnnxModel(path, threads=threads)

    def run(self, mel: FloatArray) -> Logits:
        """Return the logits of log-mel frames (time, mels); eight frames make one output frame."""
        outputs = self._model.run({"mel": mel[None, None]}, ["frame", "clip", "attend"])
        frame, clip, attend = (output[0].T for output in outputs)
        assert frame.shape[1] == len(CLASSES)
        return Logits(frame, clip, attend)
