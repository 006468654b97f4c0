"""I3D on Kinetics-400: the embedded action recogniser."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.language.tables import read_table
from vidence.models.context import ModelContext
from vidence.models.runtime import OnnxModel
from vidence.schema.perception import FloatArray, LabelScore

__all__ = ["I3dActions", "action_names", "build"]

MODEL = "i3d-kinetics400"
_SIZE = 224
_SHORT_SIDE = 256
_MIN_FRAMES = 16
"""Four halvings in time must leave two frames for the last pooling."""


class I3dActions:
    """Scores the 400 Kinetics actions for short clips."""

    model_id = MODEL
    clip_frames = 48
    clip_fps = 12.5
    """Half the 25 fps of training: 48 frames span 3.84 s, about half of the clips it was trained to judge."""

    def __init__(self, graph: Path, *, threads: int = 1, top: int = 10) -> None:
        self._model = OnnxModel(graph, threads=threads)
        self._top = top

    def recognize(self, clips: Sequence[NDArray[np.uint8]]) -> list[list[LabelScore]]:
        """Return the likeliest actions of each (frames, height, width, 3) clip, best first."""
        return [self._recognize_one(clip) for clip in clips]

    def _recognize_one(self, clip: NDArray[np.uint8]) -> list[LabelScore]:
        [logits] = self._model.run({"clip": _prepare(clip)}, ["logits"])
        scores = _softmax(logits[0])
        names = action_names()
        return [LabelScore(names[i][0], float(scores[i])) for i in np.argsort(-scores)[: self._top]]


def build(context: ModelContext) -> I3dActions:
    """Open the embedded action recogniser, converting its network into the cache the first time."""
    graph = context.converted(MODEL, "weights", "v2.onnx", "i3d:convert")
    return I3dActions(graph, threads=context.threads)


@lru_cache(maxsize=1)
def action_names() -> tuple[tuple[str, str], ...]:
    """Return (English, Chinese) of each action, in the network's order."""
    return tuple((row[0], row[1]) for row in read_table("kinetics400.tsv"))


def _prepare(clip: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if clip.ndim != 4 or clip.shape[-1] != 3 or not clip.shape[0]:
        raise BackendError(f"A clip must be (frames, height, width, 3), not {clip.shape}.")
    frames = np.stack([_centre(frame) for frame in clip])
    if len(frames) < _MIN_FRAMES:
        # A short clip is stretched evenly rather than looped: a loop would jump.
        frames = frames[np.linspace(0, len(frames) - 1, _MIN_FRAMES).round().astype(int)]
    if len(frames) % 2:
        # The network takes frames in pairs.
        frames = np.concatenate([frames, frames[-1:]])
    return np.ascontiguousarray(frames.transpose(3, 0, 1, 2)[None])


def _centre(frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Resize the short side to 256 and cut the middle 224 × 224, as in training."""
    height, width = frame.shape[:2]
    scale = _SHORT_SIDE / min(height, width)
    size = (max(round(width * scale), _SIZE), max(round(height * scale), _SIZE))
    resized = cv2.resize(frame, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    top, left = (resized.shape[0] - _SIZE) // 2, (resized.shape[1] - _SIZE) // 2
    return np.asarray(resized[top : top + _SIZE, left : left + _SIZE], np.uint8)


def _softmax(logits: FloatArray) -> FloatArray:
    powers = np.exp(logits - logits.max())
    return np.asarray(powers / powers.sum(), np.float32)
