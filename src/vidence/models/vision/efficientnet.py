"""EfficientNet-Lite3 on ImageNet: the embedded image labeller, and the feature other models use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np

from vidence.errors import BackendError
from vidence.models.context import ModelContext
from vidence.models.runtime import LitePool
from vidence.schema.perception import FloatArray, ImageLabels, LabelScore, Rgb

__all__ = ["FEATURE_SCALE", "EfficientNetLabeller", "build"]

MODEL = "efficientnet-lite3"
FEATURE_SCALE = 0.0235294
"""The pooled feature is int8: value = (q + 128) × this, as models trained on it expect."""
_FEATURE_TENSOR = "efficientnet-lite3/model/head/Squeeze1"
_SIZE = 280


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

    def _label_one(self, image: Rgb) -> ImageLabels:
        small = cv2.resize(image, (_SIZE, _SIZE), interpolation=cv2.INTER_LINEAR)
        with self._pool.borrow() as model:
            source, target = model.get_input_details()[0], model.get_output_details()[0]
            model.set_tensor(source["index"], small[None])
            model.invoke()
            scores = model.get_tensor(target["index"])[0].astype(np.float32) * target["quantization"][0]
            quantised = model.get_tensor(_feature_index(model.get_tensor_details()))[0]
        feature: FloatArray = (quantised.astype(np.float32) + 128) * np.float32(FEATURE_SCALE)
        best = np.argsort(-scores, kind="stable")[: self._top]
        ranked = tuple(LabelScore(self.labels[i], float(scores[i])) for i in best if scores[i] > 0)
        return ImageLabels(ranked, feature)


def build(context: ModelContext) -> EfficientNetLabeller:
    """Open the embedded labeller."""
    return EfficientNetLabeller(
        context.cache.path(MODEL, "model"), context.cache.path(MODEL, "labels"), threads=context.threads
    )


def _feature_index(details: Sequence[dict[str, object]]) -> int:
    for tensor in details:
        if tensor["name"] == _FEATURE_TENSOR and isinstance(tensor["index"], int):
            return tensor["index"]
    raise BackendError(
        f"The labeller has no tensor {_FEATURE_TENSOR}; it is not the model the manifest names."
    )
