"""TransNetV2 from an ONNX file: the probability of a cut after every frame."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError, SettingsError
from vidence.models.context import ModelContext
from vidence.models.runtime import OnnxModel
from vidence.schema.perception import FloatArray

__all__ = ["TransNetOnnx", "build"]

_WINDOW, _MARGIN = 100, 25
"""The network reads 100 frames and is trusted on the middle 50."""

Output = Literal["auto", "logits", "probabilities"]


class TransNetOnnx:
    """Slides the network over any number of 48 × 27 frames."""

    frame_size = (48, 27)
    window_size = _WINDOW
    margin = _MARGIN

    def __init__(self, model: Path, *, threads: int = 1, output: Output = "auto") -> None:
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
        name, output, is_planar, kind = self._layout
        batch = frames.transpose(3, 0, 1, 2)[None] if is_planar else frames[None]
        [answer] = self._model.run({name: np.ascontiguousarray(batch.astype(kind))}, [output])
        scores: FloatArray = np.asarray(answer, np.float32).reshape(-1)
        if scores.size != _WINDOW:
            raise BackendError(f"{self._model.path.name} gave {scores.size} scores for {_WINDOW} frames.")
        if self._are_logits(scores):
            scores = np.asarray(1 / (1 + np.exp(-np.clip(scores, -60, 60))), np.float32)
        return scores[_MARGIN:-_MARGIN]

    @cached_property
    def _layout(self) -> tuple[str, str, bool, type[np.generic]]:
        """Input name, output name for single frames, whether colours come first, input type."""
        name, shape = next(iter(self._model.inputs.items()))
        known = [side for side in shape if isinstance(side, int)]
        if len(shape) != 5 or not set(known) <= {1, 3, 27, 48, _WINDOW}:
            raise BackendError(
                f"{self._model.path.name} takes {shape}; TransNetV2 takes [1, {_WINDOW}, 27, 48, 3]."
            )
        outputs = list(self._model.outputs)
        # The second head marks every frame of a transition, the first only its middle.
        output = next((one for one in outputs if "many" not in one and "all" not in one), outputs[0])
        return name, output, shape[1] == 3, self._model.dtypes[name]

    def _are_logits(self, scores: FloatArray) -> bool:
        """Say whether the scores are logits; a frame without a cut has a logit far below 0."""
        if self._output != "auto":
            return self._output == "logits"
        return bool(scores.min() < 0 or scores.max() > 1)


def build(context: ModelContext) -> TransNetOnnx:
    """Open the network the option `path` names; `output` says what it gives, by default a guess."""
    output = context.option("output", "auto")
    for kind in get_args(Output):
        if output == kind:
            return TransNetOnnx(context.file("path"), threads=context.threads, output=kind)
    raise SettingsError(f"Option 'output' is {output!r}; write 'auto', 'logits' or 'probabilities'.")
