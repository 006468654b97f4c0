"""Grounding-DINO from a folder of ONNX files: finds whatever the words name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError, SettingsError
from vidence.models.boxes import merge_detections
from vidence.models.context import ModelContext
from vidence.models.runtime import OnnxModel
from vidence.models.tokens import open_tokenizer
from vidence.schema.perception import Box, Detection, FloatArray, Rgb

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

__all__ = ["GroundingOnnx", "build"]

_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_STD = np.array([0.229, 0.224, 0.225], np.float32)
_SIDE = 800


class GroundingOnnx:
    """Scores every box against the words of each query and keeps the best."""

    def __init__(self, model: Path, tokenizer: Path, *, threads: int = 1, min_score: float = 0.3) -> None:
        self._model = OnnxModel(model, threads=threads)
        self._tokenizer_path = tokenizer
        self._min_score = min_score
        self.model_id = f"grounding-onnx:{model.parent.name}"

    def detect_query(self, images: Sequence[Rgb], queries: Sequence[str]) -> list[list[Detection]]:
        """Return the objects of each picture that answer to a query; `category` is that query."""
        asked = [query.strip().rstrip(".").lower() for query in queries if query.strip(" .")]
        if not asked:
            return [[] for _ in images]
        encoded = self._tokenizer.encode(" . ".join(asked) + " .")
        spans = _spans(encoded, asked)
        return [self._detect_one(image, encoded, spans, queries) for image in images]

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return open_tokenizer(self._tokenizer_path)

    def _detect_one(
        self, image: Rgb, encoded: Encoding, spans: list[list[int]], queries: Sequence[str]
    ) -> list[Detection]:
        logits, boxes = self._model.run(self._feeds(image, encoded), ["logits", "pred_boxes"])
        scores = _sigmoid(logits[0])
        named = [query for query in queries if query.strip(" .")]
        found = [
            Detection(name, float(score), _centred(box))
            for name, tokens in zip(named, spans, strict=True)
            for box, score in zip(boxes[0], scores[:, tokens].max(axis=1), strict=True)
            if score >= self._min_score
        ]
        return merge_detections(found, iou=0.5)

    def _feeds(self, image: Rgb, encoded: Encoding) -> dict[str, NDArray[Any]]:
        shape = self._model.inputs.get("pixel_values")
        if shape is None:
            raise BackendError(f"{self._model.path.name} takes no pixel_values; it is not Grounding-DINO.")
        height, width = (side if isinstance(side, int) else _SIDE for side in shape[2:])
        small = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
        known: dict[str, NDArray[Any]] = {
            "pixel_values": np.ascontiguousarray(((small - _MEAN) / _STD).transpose(2, 0, 1)[None]),
            "pixel_mask": np.ones((1, height, width), np.int64),
            "input_ids": np.array([encoded.ids], np.int64),
            "attention_mask": np.array([encoded.attention_mask], np.int64),
            "token_type_ids": np.array([encoded.type_ids], np.int64),
        }
        return {name: known[name] for name in self._model.inputs if name in known}


def build(context: ModelContext) -> GroundingOnnx:
    """Open the detector in the folder the option `path` names (model.onnx, tokenizer.json)."""
    folder = Path(context.option("path")).expanduser()
    candidates = [folder / "model.onnx", folder / "onnx" / "model.onnx"]
    model = next((path for path in candidates if path.is_file()), None)
    if model is None or not (folder / "tokenizer.json").is_file():
        raise SettingsError(f"Option 'path' names {str(folder)!r}, which lacks model.onnx or tokenizer.json.")
    return GroundingOnnx(
        model,
        folder / "tokenizer.json",
        threads=context.threads,
        min_score=context.number("min_score", 0.3),
    )


def _spans(encoded: Encoding, queries: Sequence[str]) -> list[list[int]]:
    """Return which tokens belong to which query, by where they stand in the joined text."""
    found, start = [], 0
    for query in queries:
        end = start + len(query)
        tokens = [i for i, (a, b) in enumerate(encoded.offsets) if b > a and a >= start and b <= end]
        if not tokens:
            raise BackendError(f"The model's tokenizer has no words for {query!r}.")
        found.append(tokens)
        start = end + len(" . ")
    return found


def _centred(box: FloatArray) -> Box:
    x, y, w, h = map(float, box)
    return Box.from_corners(x - w / 2, y - h / 2, x + w / 2, y + h / 2)


def _sigmoid(logits: NDArray[Any]) -> FloatArray:
    # Padding tokens come as minus infinity, which this maps to zero.
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -60, 60))), np.float32)
