"""SSD-MobileNetV2 on COCO: the embedded object detector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from vidence.language.categories import categories
from vidence.models.context import ModelContext
from vidence.models.protocols import Detector
from vidence.models.runtime import OnnxModel
from vidence.models.vision.boxes import merge_detections
from vidence.models.vision.tiles import TiledDetector
from vidence.schema.perception import Box, Detection, FloatArray, Rgb

__all__ = ["DetectorTensors", "SsdDetector", "build", "ssd_graph_path"]

MODEL = "ssd-mobilenet-v2-coco"
_SIZE = 300
_LARGE, _AVERAGED = 960, 800
"""Pictures longer than the first are reduced to the second by averaging before they are sampled."""
_GRIDS = (19, 10, 5, 3, 2, 1)
_SCALES = (0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 1.0)
_RATIOS = (1.0, 2.0, 0.5, 3.0, 1 / 3)
_MAX_CANDIDATES = 200


@dataclass(frozen=True)
class DetectorTensors:
    """What the detector says of a picture beside the objects it is sure of."""

    found: list[Detection]
    peaks: FloatArray  # (80,): the highest score of each category, in the order of the network
    features: FloatArray  # (10, 10, 1280): the last layer of its backbone


class SsdDetector:
    """Finds the 80 COCO categories; one pass sees the picture squeezed to 300 × 300."""

    model_id = MODEL

    def __init__(
        self, graph: Path, *, quick: Path | None = None, threads: int = 1, min_score: float = 0.25
    ) -> None:
        self._model = OnnxModel(graph, threads=threads)
        self._min_score = min_score
        self.quick = SsdDetector(quick, threads=threads, min_score=min_score) if quick else self
        """The same network with quantised scores: faster, for callers that look often."""

    @property
    def categories(self) -> Sequence[str]:
        """The 80 COCO names."""
        return [category.name for category in categories().values()]

    def detect(self, images: Sequence[Rgb]) -> list[list[Detection]]:
        """Return the objects of each picture, the surest first."""
        # Measured: a batch costs as much per picture as single runs, and holds more memory.
        return [self._detect_one(image) for image in images]

    def tensors(self, image: Rgb) -> DetectorTensors:
        """Return the objects of a picture with what the network sees beside them, in one pass."""
        codes, scores, features = self._model.run({"image": _blob(image)}, ["boxes", "scores", "features"])
        return DetectorTensors(self._found(codes[0], scores[0]), scores[0].max(axis=0), features[0])

    def _detect_one(self, image: Rgb) -> list[Detection]:
        codes, scores = self._model.run({"image": _blob(image)}, ["boxes", "scores"])
        return self._found(codes[0], scores[0])

    def _found(self, codes: FloatArray, scores: FloatArray) -> list[Detection]:
        return merge_detections(self._candidates(codes, scores), iou=0.5)

    def _candidates(self, codes: FloatArray, scores: FloatArray) -> list[Detection]:
        rows, kinds = np.nonzero(scores >= self._min_score)
        values = scores[rows, kinds]
        best = np.argsort(-values)[:_MAX_CANDIDATES]
        corners = _decode(codes[rows[best]], _anchors()[rows[best]])
        names = _names()
        return [
            Detection(names[kind], float(score), Box.from_corners(*map(float, corner)))
            for corner, kind, score in zip(corners, kinds[best], values[best], strict=True)
        ]


def _blob(image: Rgb) -> FloatArray:
    height, width = image.shape[:2]
    if max(height, width) > _LARGE:
        # Sampling skips most pixels of a large picture: fine patterns become things that are not there.
        size = (min(width, _AVERAGED), min(height, _AVERAGED))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    blob = cv2.dnn.blobFromImage(image, 2 / 255, (_SIZE, _SIZE), (127.5, 127.5, 127.5), swapRB=False)
    return np.asarray(blob, np.float32)


def build(context: ModelContext) -> Detector:
    """Open the detector; the option `tiles` (such as 2) adds a grid of tiles."""
    detector = SsdDetector(
        ssd_graph_path(context),
        quick=context.converted(MODEL, "graph", "quick-v4.onnx", "ssd:convert_quick"),
        threads=context.threads,
        min_score=context.number("min_score", 0.25),
    )
    tiles = int(context.number("tiles", 1))
    return TiledDetector(detector, grid=tiles) if tiles > 1 else detector


def ssd_graph_path(context: ModelContext) -> Path:
    """Return the network as ONNX, converted into the cache the first time."""
    return context.converted(MODEL, "graph", "v2.onnx", "ssd:convert")


def _decode(codes: FloatArray, anchors: FloatArray) -> FloatArray:
    """Turn (dy, dx, dh, dw) relative to anchors (cy, cx, h, w) into (x1, y1, x2, y2)."""
    centre = codes[:, :2] / 10 * anchors[:, 2:] + anchors[:, :2]
    half = np.exp(codes[:, 2:] / 5) * anchors[:, 2:] / 2
    return np.concatenate([(centre - half)[:, ::-1], (centre + half)[:, ::-1]], axis=1)


@lru_cache(maxsize=1)
def _names() -> tuple[str, ...]:
    """Return the categories in the order of the network's scores."""
    known = categories()
    return tuple(known[number].name for number in sorted(known))


@lru_cache(maxsize=1)
def _anchors() -> FloatArray:
    """Return the (1917, 4) boxes the network predicts offsets from, in its own order."""
    rows = []
    for layer, grid in enumerate(_GRIDS):
        shapes = _shapes(layer)
        for y in range(grid):
            for x in range(grid):
                rows += [((y + 0.5) / grid, (x + 0.5) / grid, h, w) for h, w in shapes]
    return np.array(rows, np.float32)


def _shapes(layer: int) -> list[tuple[float, float]]:
    scale = _SCALES[layer]
    if layer == 0:
        # The lowest layer has only three boxes, the first of half the scale.
        pairs = [(scale / 2, 1.0), (scale, 2.0), (scale, 0.5)]
    else:
        pairs = [(scale, ratio) for ratio in _RATIOS] + [((scale * _SCALES[layer + 1]) ** 0.5, 1.0)]
    return [(size / ratio**0.5, size * ratio**0.5) for size, ratio in pairs]
