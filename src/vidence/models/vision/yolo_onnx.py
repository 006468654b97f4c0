"""YOLO-style detectors from an ONNX file: closed lists, and YOLO-World exports with a fixed vocabulary."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError, SettingsError
from vidence.models.context import ModelContext
from vidence.models.runtime import OnnxModel
from vidence.models.vision.boxes import merge_detections
from vidence.schema.perception import Box, Detection, FloatArray, Rgb

__all__ = ["YoloOnnx", "build", "yolo_rows"]

_GREY = (114, 114, 114)
_DEFAULT_SIDE = 640
_SUPPRESSED = ("boxes", "scores", "labels")


class YoloOnnx:
    """Reads every export that `yolo_rows` knows; boxes are in pixels of the padded input."""

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
            names = ast.literal_eval(listed)
            return tuple(map(str, names.values() if isinstance(names, dict) else list(names)))
        except (ValueError, SyntaxError, TypeError) as exc:
            raise BackendError(
                f"{self._model.path.name} has unreadable class names: {listed[:60]!r}"
            ) from exc

    @property
    def vocabulary(self) -> frozenset[str]:
        """The only words it can detect: they were fixed when the network was exported."""
        return frozenset(name.lower() for name in self.categories)

    def detect(self, images: Sequence[Rgb]) -> list[list[Detection]]:
        """Return the objects of each picture, the surest first."""
        return [self._detect_one(image) for image in images]

    def detect_query(self, images: Sequence[Rgb], queries: Sequence[str]) -> list[list[Detection]]:
        """Return the objects that match the queries, as far as the exported vocabulary has them."""
        wanted = {query.strip().lower() for query in queries}
        return [[one for one in found if one.category.lower() in wanted] for found in self.detect(images)]

    @cached_property
    def _input(self) -> tuple[str, int, int]:
        name, shape = next(iter(self._model.inputs.items()))
        if len(shape) != 4:
            raise BackendError(
                f"{self._model.path.name} is not a YOLO detector: its input {name} has the shape {shape}."
            )
        height, width = (side if isinstance(side, int) else _DEFAULT_SIDE for side in shape[2:])
        return name, height, width

    def _detect_one(self, image: Rgb) -> list[Detection]:
        name, height, width = self._input
        blob, scale, left, top = _letterbox(image, height, width)
        found = self._model.run({name: blob.astype(self._model.dtypes[name])})
        answer = dict(zip(self._model.outputs, found, strict=True))
        rows = yolo_rows(answer, self._model.path.name, len(self.categories), self._min_score)
        size = np.array([image.shape[1], image.shape[0]] * 2, np.float32) * scale
        corners = (rows[:, :4] - np.array([left, top] * 2, np.float32)) / size
        detections = [
            Detection(self.categories[int(row[5])], float(row[4]), Box.from_corners(*map(float, corner)))
            for row, corner in zip(rows, corners, strict=True)
        ]
        return merge_detections(detections, iou=0.6)


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


def yolo_rows(answer: Mapping[str, NDArray[Any]], file: str, classes: int, min_score: float) -> FloatArray:
    """Return (x1, y1, x2, y2, score, class) of what is sure enough, in pixels of the network's input.

    Known are (1, 4 + classes, anchors), (1, anchors, 5 + classes), (1, n, 6) with its own suppression, and
    the outputs `boxes` and `scores`, with `labels` where they were suppressed.

    Args:
        file: the network's name, for messages.
        classes: how many are named.
    """
    if {"boxes", "scores"} <= set(answer):
        rows = _separate(
            {name: np.asarray(answer[name][0], np.float32) for name in _SUPPRESSED if name in answer}
        )
    else:
        rows = _joined(np.asarray(next(iter(answer.values()))[0], np.float32), file, classes)
    rows = rows[rows[:, 4] >= min_score]
    if len(rows) and rows[:, 5].max() >= classes:
        raise BackendError(
            f"{file} found its class {int(rows[:, 5].max())} (the first is 0), but only {classes} are named. "
            "Give the option 'labels' all of them."
        )
    return rows


def _separate(answer: Mapping[str, FloatArray]) -> FloatArray:
    """Read boxes, scores and classes that come apart; unused places have a class or score below 0."""
    boxes, scores = answer["boxes"].reshape(-1, 4), answer["scores"]
    if "labels" not in answer:
        return np.column_stack([boxes, scores.max(axis=1), scores.argmax(axis=1)])
    rows = np.column_stack([boxes, scores.reshape(-1), answer["labels"].reshape(-1)])
    return rows[rows[:, 5] >= 0]


def _joined(output: FloatArray, file: str, classes: int) -> FloatArray:
    if output.ndim != 2:
        raise BackendError(f"{file} is not a YOLO detector: its output is {output.shape}.")
    if output.shape[0] == 4 + classes:
        return _anchors(output[:4].T, output[4:].T)
    if output.shape[1] == 6:
        return output
    if output.shape[1] == 4 + classes:
        return _anchors(output[:, :4], output[:, 4:])
    if output.shape[1] == 5 + classes:
        return _anchors(output[:, :4], output[:, 5:] * output[:, 4:5])
    scored = min(output.shape) - 4
    raise BackendError(f"{file} scores {scored} classes, but {classes} are named (option 'labels').")


def _anchors(boxes: FloatArray, scores: FloatArray) -> FloatArray:
    """Read centres and sizes with a score for every class."""
    centre, half = boxes[:, :2], boxes[:, 2:] / 2
    return np.column_stack([centre - half, centre + half, scores.max(axis=1), scores.argmax(axis=1)])
