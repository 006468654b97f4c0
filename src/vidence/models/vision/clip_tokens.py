"""Tokenise texts for CLIP- and SigLIP-like networks, with their own tokenizer, length and padding."""

from __future__ import annotations

import json
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

__all__ = ["TextInputs", "read_json"]

_CLIP_LENGTH = 77
_LONGEST = 2048
"""Longer stated lengths mean "no limit"."""
_PADS = ("<pad>", "[PAD]", "<|endoftext|>", "</s>")


class TextInputs:
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


def read_json(path: Path) -> dict[str, Any]:
    """Return the object a JSON file of a model holds."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as exc:
        raise SettingsError(f"{path} cannot be read: {exc}. It comes with the model.") from exc
    if not isinstance(found, dict):
        raise SettingsError(f"{path} does not hold a JSON object. Get it again with the model.")
    return found


def _places(folder: Path, name: str) -> list[Path]:
    return [folder / name, folder / "onnx" / name]


def _first_json(folder: Path, name: str) -> dict[str, Any]:
    return next((read_json(path) for path in _places(folder, name) if path.is_file()), {})


def _token(value: object) -> str | None:
    """Return a token that is written as a text or as {"content": …}."""
    if isinstance(value, dict):
        value = value.get("content")
    return value if isinstance(value, str) else None
