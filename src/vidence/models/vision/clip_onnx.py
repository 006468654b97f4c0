"""CLIP- and SigLIP-like encoders from a folder of ONNX files: pictures and words in one space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError, SettingsError
from vidence.models.context import ModelContext
from vidence.models.runtime import OnnxModel, find_network
from vidence.models.vision.clip_tokens import TextInputs, read_json
from vidence.models.vision.embedding import unit
from vidence.schema.perception import FloatArray, Rgb

__all__ = ["ClipOnnx", "build"]

_IMAGE_OUTPUTS = ("image_embeds", "pooler_output", "embeddings")
_TEXT_OUTPUTS = ("text_embeds", "pooler_output", "embeddings")
_BATCH = 8


class ClipOnnx:
    """Reads the usual exports: a vision and a text network, or one network that holds both."""

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        self.model_id = f"clip-onnx:{folder.name}"
        vision, text = _networks(folder)
        self._vision = OnnxModel(vision, threads=threads)
        self._text = self._vision if text == vision else OnnxModel(text, threads=threads)
        self._words = TextInputs(folder, self._text)
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
            pixels = np.stack(
                [self._config.apply(image, self._side) for image in images[start : start + _BATCH]]
            )
            feeds = {self._pixels_name: pixels.astype(self._vision.dtypes[self._pixels_name])}
            rows.append(_embedding(self._vision, self._completed(feeds), _IMAGE_OUTPUTS))
        found = unit(np.concatenate(rows))
        if found.shape[1] != self.dim:
            raise BackendError(
                f"{self._vision.path} gives vectors of {found.shape[1]} numbers, {self._text.path.name} of "
                f"{self.dim}: they are not two halves of one model."
            )
        return found

    def encode_texts(self, texts: Sequence[str]) -> FloatArray:
        """Return (n, dim) unit vectors."""
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        return unit(_embedding(self._text, self._completed(self._words.feeds(texts)), _TEXT_OUTPUTS))

    def _completed(self, feeds: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Add a blank second input where one network needs pictures and words together."""
        if self._text is not self._vision:
            return dict(feeds)
        side = self._config.side(self._side)
        blank = np.zeros((1, 3, side, side), self._vision.dtypes[self._pixels_name])
        return {self._pixels_name: blank, **self._words.feeds(["a"]), **feeds}

    @cached_property
    def _pixels_name(self) -> str:
        """The input that takes pictures: `pixel_values`, or the first with four dimensions."""
        inputs = self._vision.inputs
        found = next((name for name in inputs if name == "pixel_values" or len(inputs[name]) == 4), None)
        if found is None:
            raise SettingsError(
                f"{self._vision.path} takes {', '.join(inputs)}; a vision network takes pixel_values."
            )
        return found

    @cached_property
    def _side(self) -> int | None:
        """The picture size of the network, None where it is free."""
        side = self._vision.inputs[self._pixels_name][-1]
        return side if isinstance(side, int) else None


class _Preprocessing:
    """Prepares pictures as the model's own configuration says."""

    def __init__(self, path: Path) -> None:
        config = read_json(path)
        # SigLIP's processor resizes without cropping.
        self._crop = bool(config.get("do_center_crop", False))
        self._size = _side(config.get("crop_size") if self._crop else config.get("size"), path)
        self._mean = np.array(config.get("image_mean", [0.5, 0.5, 0.5]), np.float32)
        self._std = np.array(config.get("image_std", [0.5, 0.5, 0.5]), np.float32)

    def side(self, fixed: int | None) -> int:
        """Return the side of the square input; a size fixed by the network wins."""
        return fixed or self._size

    def apply(self, image: Rgb, fixed: int | None) -> FloatArray:
        height, width = image.shape[:2]
        if self._crop:
            side = min(height, width)
            top, left = (height - side) // 2, (width - side) // 2
            image = image[top : top + side, left : left + side]
        size = self.side(fixed)
        small = cv2.resize(image, (size, size), interpolation=cv2.INTER_AREA)
        scaled = (small.astype(np.float32) / 255 - self._mean) / self._std
        return np.ascontiguousarray(scaled.transpose(2, 0, 1))


def build(context: ModelContext) -> ClipOnnx:
    """Open the encoder in the folder the option `path` names."""
    folder = context.place("path", sets=(("vision_model.onnx", "text_model.onnx"), ("model.onnx",)))
    if not folder.is_dir():
        raise SettingsError(f"Option 'path' names {str(folder)!r}, which is not a folder of ONNX files.")
    return ClipOnnx(folder, threads=context.threads)


def _networks(folder: Path) -> tuple[Path, Path]:
    """Return the files of the vision and of the text network, which may be one."""
    vision, text = find_network(folder, "vision_model"), find_network(folder, "text_model")
    if vision and text:
        return vision, text
    if not vision and not text and (both := find_network(folder, "model")):
        return both, both
    lacks = "text_model.onnx" if vision else "vision_model.onnx"
    raise SettingsError(
        f"{folder} has no {lacks}; it must hold vision_model.onnx and text_model.onnx, or one model.onnx "
        "that takes pixel_values and input_ids."
    )


def _embedding(model: OnnxModel, feeds: Mapping[str, NDArray[Any]], wanted: Sequence[str]) -> FloatArray:
    outputs = model.outputs
    name = next((name for name in wanted if name in outputs), None)
    if name is None:
        flat = [name for name, shape in outputs.items() if len(shape) == 2]
        name = flat[0] if len(flat) == 1 else None
    if name is None:
        raise BackendError(
            f"{model.path.name} gives {', '.join(outputs)}; expected one of {', '.join(wanted)}."
        )
    [rows] = model.run(feeds, [name])
    return np.asarray(rows, np.float32)


def _side(value: object, path: Path) -> int:
    """Return the side of the square input, a number or {"height": …} or {"shortest_edge": …}."""
    if isinstance(value, dict):
        value = value.get("height", value.get("shortest_edge"))
    if not isinstance(value, int) or value <= 0:
        raise SettingsError(f"{path} does not say the size of the model's pictures.")
    return value
