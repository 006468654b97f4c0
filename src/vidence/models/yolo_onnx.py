"""YOLO-style detectors from an ONNX file: closed lists, and YOLO-World exports with a fixed vocabulary."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np

from vidence.errors import BackendError, SettingsError
from vidence.models.boxes import merge_detections
from vidence.models.context import ModelContext
from vidence.models.runtime import OnnxModel
from vidence.schema.perception import Box, Detection, FloatArray, Rgb

__all__ = ["YoloOnnx", "build"]

_GREY = (114, 114, 114)
_DEFAULT_SIDE = 640


class YoloOnnx:
    """Reads outputs of shape (1, 4 + classes, anchors) or (1, n, 6), in pixels of the padded input."""

    def __init__(
        self, model: Path, *, names: Sequence[str] = (), threads: int = 1, min_score: float = 0.25
    ) -> None:
        self._model = OnnxModel(model, threads=threads)
        self._names = tuple(names)
        self._min_score = min_score
        self.model_id = f"yolo-onnx:{model.stem}"

    @cached_property
    def categories(self) -> Sequence[str]:
        """The vocabulary, from the option or from the model's own metadata."""
        if self._names:
            return self._names
        listed = self._model.metadata.get("names")
        if not listed:
            raise SettingsError(
                f"{self._model.path.name} does not say its class names; add the option 'labels'."
            )
        try:
            return tuple(dict(ast.literal_eval(listed)).values())
        except (ValueError, SyntaxError, TypeError) as exc:
            raise BackendError(
                f"{self._model.path.name} has unreadable class names: {listed[:60]!r}"
            ) from exc

    def detect(self, images: Sequence[Rgb]) -> list[list[Detection]]:
        """Return the objects of each picture, the surest first."""
        return [self._detect_one(image) for image in images]

    def detect_query(self, images: Sequence[Rgb], queries: Sequence[str]) -> list[list[Detection]]:
        """Return what answers to the queries, as far as the exported vocabulary has them."""
        wanted = {query.strip().lower() for query in queries}
        return [[one for one in found if one.category.lower() in wanted] for found in self.detect(images)]

    @cached_property
    def _input(self) -> tuple[str, int, int]:
        name, shape = next(iter(self._model.inputs.items()))
        height, width = (side if isinstance(side, int) else _DEFAULT_SIDE for side in shape[2:])
        return name, height, width

    def _detect_one(self, image: Rgb) -> list[Detection]:
        name, height, width = self._input
        blob, scale, left, top = _letterbox(image, height, width)
        rows = self._rows(np.asarray(self._model.run({name: blob})[0][0], np.float32))
        size = np.array([image.shape[1], image.shape[0]] * 2, np.float32) * scale
        corners = (rows[:, :4] - np.array([left, top] * 2, np.float32)) / size
        found = [
            Detection(self.categories[int(row[5])], float(row[4]), Box.from_corners(*map(float, corner)))
            for row, corner in zip(rows, corners, strict=True)
        ]
        return merge_detections(found, iou=0.6)

    def _rows(self, output: FloatArray) -> FloatArray:
        """Return (x1, y1, x2, y2, score, class) of what is sure enough."""
        if output.ndim != 2:
            raise BackendError(
                f"{self._model.path.name} is not a YOLO detector: its output is {output.shape}."
            )
        if output.shape[1] == 6:
            return output[output[:, 4] >= self._min_score]
        if output.shape[0] != 4 + len(self.categories):
            raise BackendError(
                f"{self._model.path.name} scores {output.shape[0] - 4} classes, "
                f"but {len(self.categories)} are named."
            )
        scores = output[4:].max(axis=0)
        keep = scores >= self._min_score
        centre, half = output[:2, keep], output[2:4, keep] / 2
        classes = output[4:, keep].argmax(axis=0)
        return np.vstack([centre - half, centre + half, scores[keep], classes]).T.astype(np.float32)


def build(context: ModelContext) -> YoloOnnx:
    """Open the detector the option `path` names; `labels` may list its classes, separated by commas."""
    names = [name.strip() for name in context.option("labels", "").split(",") if name.strip()]
    return YoloOnnx(
        context.file("path"),
        names=names,
        threads=context.threads,
        min_score=context.number("min_score", 0.25),
    )


def _letterbox(image: Rgb, height: int, width: int) -> tuple[FloatArray, float, int, int]:
    """Fit the picture into the input without stretching it; return the blob and how it was placed."""
    scale = min(height / image.shape[0], width / image.shape[1])
    inner = (max(round(image.shape[1] * scale), 1), max(round(image.shape[0] * scale), 1))
    canvas = np.full((height, width, 3), _GREY, np.uint8)
    left, top = (width - inner[0]) // 2, (height - inner[1]) // 2
    canvas[top : top + inner[1], left : left + inner[0]] = cv2.resize(
        image, inner, interpolation=cv2.INTER_LINEAR
    )
    return np.asarray(cv2.dnn.blobFromImage(canvas, 1 / 255), np.float32), scale, left, top
