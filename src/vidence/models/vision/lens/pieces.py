"""The sentence encoder's table of pieces: texts to the raw vectors of what they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from vidence.errors import BackendError
from vidence.models.text.tokenizer import load_sentencepiece
from vidence.schema.perception import FloatArray

__all__ = ["PieceTable"]

_BOS, _EOS = 1, 2
_CHUNKS = 17
"""The table is stored as 17 blocks, piece `i` in block `i % 17`, each block with a scale of its own."""


class PieceTable:
    """Splits texts into sentence pieces of any script and looks up their vectors."""

    def __init__(self, weights: Path, vocabulary: Path) -> None:
        self._paths = weights, vocabulary
        self._lock = Lock()
        self._loaded: tuple[Tokenizer, _Table] | None = None

    def pieces(self, texts: Sequence[str], *, limit: int) -> list[FloatArray]:
        """Return the (pieces, 512) vectors of each text, opening and closing mark included."""
        tokenizer, table = self._load()
        encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [table.rows(np.array([_BOS, *one.ids[: limit - 2], _EOS])) for one in encoded]

    def _load(self) -> tuple[Tokenizer, _Table]:
        with self._lock:
            if self._loaded is None:
                weights, vocabulary = self._paths
                self._loaded = load_sentencepiece(vocabulary), _Table(weights)
            return self._loaded


class _Table:
    """The stored bytes; rows are widened as they are used."""

    def __init__(self, path: Path) -> None:
        try:
            with np.load(path, allow_pickle=False) as archive:
                self._chunks: list[NDArray[np.uint8]] = [archive[f"q{i + 1}"] for i in range(_CHUNKS)]
                self._scale: FloatArray = archive["scale"]
                self._low: FloatArray = archive["lo"]
        except (OSError, ValueError, KeyError) as exc:
            raise BackendError(
                f"The text encoder's weights {path} cannot be read: {exc}. Reinstall its package."
            ) from exc

    def rows(self, ids: NDArray[np.int64]) -> FloatArray:
        chunk = ids % _CHUNKS
        raw = np.stack([self._chunks[i % _CHUNKS][i // _CHUNKS] for i in ids]).astype(np.float32)
        widened: FloatArray = raw * self._scale[chunk, None] + self._low[chunk, None]
        return widened
