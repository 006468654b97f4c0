"""Grounding-DINO from a folder of ONNX files: finds the objects that any words name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError, SettingsError
from vidence.models.context import ModelContext
from vidence.models.runtime import OnnxModel, find_network
from vidence.models.text.tokenizer import open_tokenizer
from vidence.models.vision.boxes import merge_detections
from vidence.schema.perception import Box, Detection, FloatArray, Rgb

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

__all__ = ["GroundingOnnx", "build"]

_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_STD = np.array([0.229, 0.224, 0.225], np.float32)
_SHORT_SIDE, _LONG_SIDE = 800, 1333
_PICTURES = ("pixel_values", "img", "samples", "inputs")
_OUTPUTS = (("logits", "pred_logits"), ("pred_boxes", "boxes"))
_SEPARATORS = ("[CLS]", "[SEP]", ".", "?")


class GroundingOnnx:
    """Scores every box against the words of each query and keeps the best."""

    is_english_only = True

    def __init__(self, model: Path, tokenizer: Path, *, threads: int = 1, min_score: float = 0.3) -> None:
        self._model = OnnxModel(model, threads=threads)
        self._tokenizer_path = tokenizer
        self._min_score = min_score
        self.model_id = f"grounding-onnx:{model.parent.name}"

    def detect_query(self, images: Sequence[Rgb], queries: Sequence[str]) -> list[list[Detection]]:
        """Return the objects of each picture that match a query; `category` is that query."""
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
        logits, boxes = self._model.run(self._feeds(image, encoded), self._answers)
        scores = _sigmoid(logits[0])
        named = [query for query in queries if query.strip(" .")]
        found = [
            Detection(name, float(score), _centred(box))
            for name, tokens in zip(named, spans, strict=True)
            for box, score in zip(boxes[0], scores[:, tokens].max(axis=1), strict=True)
            if score >= self._min_score
        ]
        return merge_detections(found, iou=0.5)

    @cached_property
    def _answers(self) -> list[str]:
        """The outputs with the scores and the boxes."""
        names = [next((name for name in known if name in self._model.outputs), "") for known in _OUTPUTS]
        if not all(names):
            raise BackendError(
                f"{self._model.path.name} gives {', '.join(self._model.outputs)}; Grounding-DINO gives "
                "logits and pred_boxes."
            )
        return names

    def _feeds(self, image: Rgb, encoded: Encoding) -> dict[str, NDArray[Any]]:
        inputs, dtypes = self._model.inputs, self._model.dtypes
        picture = next((name for name in _PICTURES if name in inputs), None)
        if picture is None:
            raise BackendError(f"{self._model.path.name} takes no pixel_values; it is not Grounding-DINO.")
        width, height = _size(image, inputs[picture])
        small = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
        known: dict[str, NDArray[Any]] = {
            picture: np.ascontiguousarray(((small - _MEAN) / _STD).transpose(2, 0, 1)[None]),
            "pixel_mask": np.ones((1, height, width), np.int64),
            **_text_inputs(encoded),
        }
        return {name: known[name].astype(dtypes[name]) for name in inputs if name in known}


def _size(image: Rgb, shape: Sequence[int | str | None]) -> tuple[int, int]:
    """Return the input width and height: the network's own, or the picture's shape at the trained size."""
    height, width = shape[2:]
    if isinstance(height, int) and isinstance(width, int):
        return width, height
    sides = image.shape[:2]
    scale = min(_SHORT_SIDE / min(sides), _LONG_SIDE / max(sides))
    return max(round(sides[1] * scale), 1), max(round(sides[0] * scale), 1)


def _text_inputs(encoded: Encoding) -> dict[str, NDArray[Any]]:
    """Return the text inputs; some exports separate the phrases by a mask and positions."""
    ids = np.array(encoded.ids, np.int64)
    ends = [i for i, token in enumerate(encoded.tokens) if token in _SEPARATORS]
    phrase = np.searchsorted(np.array(ends, np.int64), np.arange(len(ids)))
    starts = np.array([int(np.flatnonzero(phrase == one)[0]) for one in phrase], np.int64)
    together = phrase[:, None] == phrase[None, :]
    return {
        "input_ids": ids[None],
        "attention_mask": np.array([encoded.attention_mask], np.int64),
        "token_type_ids": np.array([encoded.type_ids], np.int64),
        "position_ids": (np.arange(len(ids)) - starts)[None],
        "text_token_mask": together[None],
        "text_self_attention_masks": together[None],
    }


def build(context: ModelContext) -> GroundingOnnx:
    """Open the detector in the folder the option `path` names (model.onnx, tokenizer.json)."""
    folder = context.place("path", sets=(("model.onnx",),))
    model = find_network(folder, "model")
    if model is None or not (folder / "tokenizer.json").is_file():
        lacks = "model.onnx" if model is None else "tokenizer.json"
        raise SettingsError(
            f"Option 'path' names {str(folder)!r}, which lacks {lacks}; give a folder with both."
        )
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
