"""CLIP- and SigLIP-like encoders from a folder of ONNX files: pictures and words in one space."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vidence.errors import SettingsError
from vidence.models.runtime import OnnxModel
from vidence.models.text.tokenizer import open_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

from collections.abc import Mapping

import cv2

from vidence.errors import BackendError
from vidence.models.context import ModelContext
from vidence.models.runtime import find_network
from vidence.models.vision.embedding import unit
from vidence.schema.perception import FloatArray, Rgb
from vidence.schema.read_json import load_json

__all__ = ["ClipOnnx", "build"]

_IMAGE_OUTPUTS = ("image_embeds", "pooler_output", "embeddings")
_TEXT_OUTPUTS = ("text_embeds", "pooler_output", "embeddings")
_BATCH = 8
_CLIP_LENGTH = 77
_LONGEST = 2048
"""Longer stated lengths mean "no limit"."""
_PADS = ("<pad>", "[PAD]", "<|endoftext|>", "</s>")


class ClipOnnx:
    """Reads the usual exports: a vision and a text network, or one network that holds both."""

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        self.model_id = f"clip-onnx:{folder.name}"
        vision, text = _networks(folder)
        self._vision = OnnxModel(vision, threads=threads)
        self._text = self._vision if text == vision else OnnxModel(text, threads=threads)
        self._words = _TextInputs(folder, self._text)
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
        config = _read_json(path)
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


class _TextInputs:
    """Turns texts into the inputs of a text network."""

    def __init__(self, folder: Path, network: OnnxModel) -> None:
        self._path = next((p for p in _places(folder, "tokenizer.json") if p.is_file()), None)
        if self._path is None:
            raise SettingsError(f"{folder} has no tokenizer.json; it comes with the model, put it there.")
        self._network = network
        self._config = _first_json(folder, "config.json")
        self._written = [
            _first_json(folder, f"{stem}.json") for stem in ("tokenizer_config", "special_tokens_map")
        ]

    def feeds(self, texts: Sequence[str]) -> dict[str, NDArray[Any]]:
        """Return the network's inputs for the texts, one row each."""
        asked = [text.lower() for text in texts] if self._is_siglip else list(texts)
        rows = self._tokenizer.encode_batch(asked)
        ids = np.array([row.ids for row in rows], np.int64)
        # SigLIP was trained to attend to its padding, so nothing is masked.
        mask = np.ones_like(ids) if self._is_siglip else np.array([row.attention_mask for row in rows])
        known = {
            self._ids_name: ids,
            "attention_mask": mask,
            "token_type_ids": np.array([row.type_ids for row in rows]),
        }
        dtypes = self._network.dtypes
        return {name: rows.astype(dtypes[name]) for name, rows in known.items() if name in dtypes}

    @cached_property
    def _is_siglip(self) -> bool:
        return "siglip" in str(self._config.get("model_type", "")).lower()

    @cached_property
    def _ids_name(self) -> str:
        """The input that takes the tokens: `input_ids`, or the first integer input."""
        dtypes = self._network.dtypes
        if "input_ids" in dtypes:
            return "input_ids"
        found = next((name for name, kind in dtypes.items() if issubclass(kind, np.integer)), None)
        if found is None:
            raise SettingsError(
                f"{self._network.path} takes {', '.join(dtypes)}; a text network takes input_ids."
            )
        return found

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        assert self._path is not None
        tokenizer = open_tokenizer(self._path)
        own = tokenizer.padding or {}
        shape = self._network.inputs[self._ids_name]
        fixed = shape[-1] if isinstance(shape[-1], int) else own.get("length")
        longest = fixed or next(self._lengths(), _CLIP_LENGTH)
        pad = own.get("pad_token") or self._pad_token(tokenizer)
        tokenizer.enable_truncation(max_length=longest)
        tokenizer.enable_padding(
            length=longest if fixed or self._reads_padding else None,
            pad_id=(tokenizer.token_to_id(pad) if pad else None) or 0,
            pad_token=pad or "[PAD]",
        )
        return tokenizer

    @property
    def _reads_padding(self) -> bool:
        """Whether the network was trained on one length: it takes no mask and reads its last token."""
        unmasked = "attention_mask" not in self._network.inputs
        return self._is_siglip or (unmasked and "text_embeds" not in self._network.outputs)

    def _lengths(self) -> Iterator[int]:
        text = self._config.get("text_config") or {}
        for value in (self._written[0].get("model_max_length"), text.get("max_position_embeddings")):
            if isinstance(value, int) and 0 < value <= _LONGEST:
                yield value

    def _pad_token(self, tokenizer: Tokenizer) -> str | None:
        named = (_token(written.get("pad_token")) for written in self._written)
        return next((one for one in (*named, *_PADS) if one and tokenizer.token_to_id(one) is not None), None)


def _read_json(path: Path) -> dict[str, Any]:
    """Return the object a JSON file of a model holds."""
    try:
        found = load_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as exc:
        raise SettingsError(f"{path} cannot be read: {exc}. It comes with the model.") from exc
    if not isinstance(found, dict):
        raise SettingsError(f"{path} does not hold a JSON object. Get it again with the model.")
    return found


def _places(folder: Path, name: str) -> list[Path]:
    return [folder / name, folder / "onnx" / name]


def _first_json(folder: Path, name: str) -> dict[str, Any]:
    return next((_read_json(path) for path in _places(folder, name) if path.is_file()), {})


def _token(value: object) -> str | None:
    """Return a token that is written as a text or as {"content": …}."""
    if isinstance(value, dict):
        value = value.get("content")
    return value if isinstance(value, str) else None
