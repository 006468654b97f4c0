"""EfficientNet-Lite3 on ImageNet: the embedded image labeller, and the feature other models use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.models.context import ModelContext
from vidence.models.runtime import LitePool
from vidence.schema.perception import FloatArray, ImageLabels, LabelScore, Rgb

__all__ = ["FEATURE_SCALE", "EfficientNetLabeller", "LabellerTensors", "build"]

MODEL = "efficientnet-lite3"
FEATURE_SCALE = 0.0235294
"""The pooled feature is int8: value = (q + 128) × this, as models trained on it expect."""
_FEATURE_TENSOR = "efficientnet-lite3/model/head/Squeeze1"
_DEEP_TENSOR = "efficientnet-lite3/model/blocks_23/conv2d_1/Conv2D2"
_FINE_TENSOR = "efficientnet-lite3/model/blocks_16/Add"
_HEAD_TENSOR = "efficientnet-lite3/model/head/conv2d/Conv2D1"
_SIZE = 280


@dataclass(frozen=True)
class LabellerTensors:
    """What the labeller's inner layers say of each part of a picture."""

    deep: FloatArray  # (9, 9, 384), before the head
    fine: FloatArray  # (18, 18, 136), halfway
    head: FloatArray  # (9, 9, 1280), after it: the feature of each cell
    feature: FloatArray  # (1280,), pooled


class EfficientNetLabeller:
    """Names the main thing in a picture among 1,000 classes and gives its 1280-number feature."""

    model_id = MODEL
    feature_dim = 1280

    def __init__(self, model: Path, labels: Path, *, threads: int = 1, top: int = 20) -> None:
        self._pool = LitePool(model, threads=threads, keep_tensors=True)
        self._labels_path = labels
        self._top = top

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Every label, the first name of its synset only."""
        lines = self._labels_path.read_text(encoding="utf-8").splitlines()
        return tuple(line.partition(",")[0].strip() for line in lines if line.strip())

    def label(self, images: Sequence[Rgb]) -> list[ImageLabels]:
        """Return labels and pooled feature of each picture."""
        return [self._label_one(image) for image in images]

    def tensors(self, image: Rgb) -> LabellerTensors:
        """Return the inner tensors of a picture, in one pass that names nothing."""
        with self._pool.borrow() as model:
            details = model.get_tensor_details()
            _run(model, image)
            names = (_DEEP_TENSOR, _FINE_TENSOR, _HEAD_TENSOR)
            deep, fine, head = (_widened(model, _find(details, name)) for name in names)
            return LabellerTensors(deep, fine, head, _pooled(model))

    def _label_one(self, image: Rgb) -> ImageLabels:
        with self._pool.borrow() as model:
            target = model.get_output_details()[0]
            _run(model, image)
            scores = model.get_tensor(target["index"])[0].astype(np.float32) * target["quantization"][0]
            feature = _pooled(model)
        best = np.argsort(-scores, kind="stable")[: self._top]
        ranked = tuple(LabelScore(self.labels[i], float(scores[i])) for i in best if scores[i] > 0)
        return ImageLabels(ranked, feature)


def build(context: ModelContext) -> EfficientNetLabeller:
    """Open the embedded labeller."""
    return EfficientNetLabeller(
        context.cache.path(MODEL, "model"), context.cache.path(MODEL, "labels"), threads=context.threads
    )


def _run(model: Any, image: Rgb) -> None:
    small = cv2.resize(image, (_SIZE, _SIZE), interpolation=cv2.INTER_LINEAR)
    model.set_tensor(model.get_input_details()[0]["index"], small[None])
    model.invoke()


def _pooled(model: Any) -> FloatArray:
    quantised: NDArray[np.int8] = model.get_tensor(
        _find(model.get_tensor_details(), _FEATURE_TENSOR)["index"]
    )[0]
    return (quantised.astype(np.float32) + 128) * np.float32(FEATURE_SCALE)


def _widened(model: Any, tensor: dict[str, Any]) -> FloatArray:
    scale, zero = tensor["quantization"]
    values: NDArray[np.int8] = model.get_tensor(tensor["index"])[0]
    widened: FloatArray = (values.astype(np.float32) - zero) * np.float32(scale)
    return widened


def _find(details: Sequence[dict[str, Any]], name: str) -> dict[str, Any]:
    """Return the tensor whose name ends so; fused layers carry the names of all their parts."""
    for tensor in details:
        if str(tensor["name"]).endswith(name):
            return tensor
    raise BackendError(f"The labeller has no tensor {name}; it is not the model the manifest names.")
