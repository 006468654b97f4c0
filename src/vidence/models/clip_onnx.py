"""CLIP- and SigLIP-like encoders from a folder of ONNX files: pictures and words in one space."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError, SettingsError
from vidence.models.context import ModelContext
from vidence.models.runtime import OnnxModel
from vidence.models.tokens import open_tokenizer
from vidence.schema.perception import FloatArray, Rgb

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["ClipOnnx", "build"]

_IMAGE_OUTPUTS = ("image_embeds", "pooler_output", "embeddings")
_TEXT_OUTPUTS = ("text_embeds", "pooler_output", "embeddings")
_BATCH = 8


class ClipOnnx:
    """Reads the usual export: vision_model.onnx, text_model.onnx, tokenizer, preprocessor configuration."""

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        self._folder = folder
        self.model_id = f"clip-onnx:{folder.name}"
        self._vision = OnnxModel(_find(folder, "vision_model"), threads=threads)
        self._text = OnnxModel(_find(folder, "text_model"), threads=threads)
        self._config = _Preprocessing(folder / "preprocessor_config.json")

    @cached_property
    def dim(self) -> int:
        """Length of the vectors."""
        return int(self.encode_texts(["a"]).shape[1])

    def encode_images(self, images: Sequence[Rgb]) -> FloatArray:
        """Return (n, dim) unit vectors."""
        if not images:
            return np.zeros((0, self.dim), np.float32)
        rows = []
        for start in range(0, len(images), _BATCH):
            pixels = np.stack([self._config.apply(image) for image in images[start : start + _BATCH]])
            rows.append(_embedding(self._vision, {"pixel_values": pixels}, _IMAGE_OUTPUTS))
        return _unit(np.concatenate(rows))

    def encode_texts(self, texts: Sequence[str]) -> FloatArray:
        """Return (n, dim) unit vectors."""
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        encoded = self._tokenizer.encode_batch(list(texts))
        known = {
            "input_ids": np.array([row.ids for row in encoded], np.int64),
            "attention_mask": np.array([row.attention_mask for row in encoded], np.int64),
        }
        feeds = {name: known[name] for name in self._text.inputs if name in known}
        return _unit(_embedding(self._text, feeds, _TEXT_OUTPUTS))

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        tokenizer = open_tokenizer(self._folder / "tokenizer.json")
        length = self._text.inputs["input_ids"][-1]
        # SigLIP's export wants a fixed length; CLIP's only equal ones, and at most 77.
        fixed = length if isinstance(length, int) else None
        tokenizer.enable_truncation(max_length=fixed or 77)
        tokenizer.enable_padding(length=fixed)
        return tokenizer


class _Preprocessing:
    """How the model wants its pictures, as its own configuration says."""

    def __init__(self, path: Path) -> None:
        config = _read_json(path)
        # SigLIP's processor does not know cropping and squeezes pictures instead.
        self._crop = bool(config.get("do_center_crop", False))
        self._size = _side(config.get("crop_size") if self._crop else config.get("size"), path)
        self._mean = np.array(config.get("image_mean", [0.5, 0.5, 0.5]), np.float32)
        self._std = np.array(config.get("image_std", [0.5, 0.5, 0.5]), np.float32)

    def apply(self, image: Rgb) -> FloatArray:
        height, width = image.shape[:2]
        if self._crop:
            side = min(height, width)
            top, left = (height - side) // 2, (width - side) // 2
            image = image[top : top + side, left : left + side]
        small = cv2.resize(image, (self._size, self._size), interpolation=cv2.INTER_AREA)
        scaled = (small.astype(np.float32) / 255 - self._mean) / self._std
        return np.ascontiguousarray(scaled.transpose(2, 0, 1))


def build(context: ModelContext) -> ClipOnnx:
    """Open the encoder in the folder the option `path` names."""
    folder = Path(context.option("path")).expanduser()
    if not folder.is_dir():
        raise SettingsError(f"Option 'path' names {str(folder)!r}, which is not a folder of ONNX files.")
    return ClipOnnx(folder, threads=context.threads)


def _find(folder: Path, stem: str) -> Path:
    for name in (
        f"{stem}.onnx",
        f"onnx/{stem}.onnx",
        f"{stem}_quantized.onnx",
        f"onnx/{stem}_quantized.onnx",
    ):
        if (folder / name).is_file():
            return folder / name
    raise SettingsError(
        f"{folder} has no {stem}.onnx; export the model with separate vision and text networks."
    )


def _embedding(model: OnnxModel, feeds: Mapping[str, NDArray[Any]], wanted: Sequence[str]) -> FloatArray:
    name = next((name for name in wanted if name in model.outputs), None)
    if name is None:
        raise BackendError(
            f"{model.path.name} gives {', '.join(model.outputs)}; expected one of {', '.join(wanted)}."
        )
    [rows] = model.run(feeds, [name])
    return np.asarray(rows, np.float32)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as exc:
        raise SettingsError(f"{path} cannot be read: {exc}. It comes with the model.") from exc
    return found


def _side(value: object, path: Path) -> int:
    """Return the side of the square input, a number or {"height": …} or {"shortest_edge": …}."""
    if isinstance(value, dict):
        value = value.get("height", value.get("shortest_edge"))
    if not isinstance(value, int) or value <= 0:
        raise SettingsError(f"{path} does not say the size of the model's pictures.")
    return value


def _unit(rows: FloatArray) -> FloatArray:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), np.float32)
