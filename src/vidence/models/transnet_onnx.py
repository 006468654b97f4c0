"""TransNetV2 from an ONNX file: the probability of a cut after every frame."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError, SettingsError
from vidence.models.context import ModelContext
from vidence.models.runtime import OnnxModel
from vidence.schema.perception import FloatArray

__all__ = ["TransNetOnnx", "build"]

_WINDOW, _MARGIN = 100, 25
"""The network reads 100 frames and is trusted on the middle 50."""

Output = Literal["logits", "probabilities"]


class TransNetOnnx:
    """Slides the network over any number of 48 × 27 frames."""

    frame_size = (48, 27)
    window_size = _WINDOW
    margin = _MARGIN

    def __init__(self, model: Path, *, threads: int = 1, output: Output = "logits") -> None:
        self._model = OnnxModel(model, threads=threads)
        self._output = output
        self.model_id = f"transnet-onnx:{model.stem}"

    def predict(self, frames: NDArray[np.uint8]) -> FloatArray:
        """Return one probability per frame of a (frames, 27, 48, 3) array."""
        if frames.shape[1:] != (27, 48, 3):
            raise BackendError(f"TransNet wants frames of (27, 48, 3), not {frames.shape[1:]}.")
        count, step = len(frames), _WINDOW - 2 * _MARGIN
        if not count:
            return np.zeros(0, np.float32)
        windows = -(-count // step)
        padded = np.concatenate(
            [
                np.repeat(frames[:1], _MARGIN, axis=0),
                frames,
                np.repeat(frames[-1:], windows * step - count + _MARGIN, axis=0),
            ]
        )
        parts = [self.window(padded[i * step : i * step + _WINDOW]) for i in range(windows)]
        return np.concatenate(parts)[:count]

    def window(self, frames: NDArray[np.uint8]) -> FloatArray:
        """Return the probabilities of the frames in the middle of a whole window."""
        name, kind = next(iter(self._model.input_types.items()))
        batch = frames[None] if "uint8" in kind else frames[None].astype(np.float32)
        scores: FloatArray = np.asarray(self._model.run({name: batch})[0], np.float32).reshape(-1)
        if scores.size != _WINDOW:
            raise BackendError(f"{self._model.path.name} gave {scores.size} scores for {_WINDOW} frames.")
        if self._output == "logits":
            scores = np.asarray(1 / (1 + np.exp(-np.clip(scores, -60, 60))), np.float32)
        return scores[_MARGIN:-_MARGIN]


def build(context: ModelContext) -> TransNetOnnx:
    """Open the network the option `path` names; option `output` says whether its sigmoid was exported."""
    output = context.option("output", "logits")
    if output not in ("logits", "probabilities"):
        raise SettingsError(f"Option 'output' is {output!r}; write 'logits' or 'probabilities'.")
    kind: Output = "logits" if output == "logits" else "probabilities"
    return TransNetOnnx(context.file("path"), threads=context.threads, output=kind)
