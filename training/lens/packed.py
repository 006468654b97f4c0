"""Reads what `pack` wrote, as tensors on the training device."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

__all__ = ["Packed", "Texts", "load_packed"]

LONGEST = 40  # pieces; 1 caption in 2,000 is longer and is cut
ZERO_POINT, FEATURE_SCALE = 128.0, 0.0235294122248888


@dataclass(frozen=True)
class Texts:
    """Sentences in the order of the rows they belong to."""

    ids: Tensor  # (S, LONGEST) piece ids, -1 where there is none
    owners: Tensor  # (S,) row of each sentence
    counts: Tensor  # (rows,) sentences of each row
    firsts: Tensor  # (rows,) its first sentence
    named: Tensor  # (S, 80) the tags a template names; (0, 80) for captions


@dataclass(frozen=True)
class Packed:
    """Everything training reads."""

    features: dict[str, Tensor]  # part → (rows, 1280)
    tags: dict[str, Tensor]  # part → (rows, 80)
    texts: dict[str, Texts]  # "train_captions", "val_tags_zh", "names_en" …
    use: dict[str, Tensor]  # the sentence encoder's weights, its table cut to the pieces that occur
    pieces: Tensor  # which pieces those are


def load_packed(folder: Path, device: str) -> Packed:
    """Read the packed folder."""
    with np.load(folder / "texts.npz", allow_pickle=False) as stored:
        arrays = {key: stored[key] for key in stored.files}
    tags = {part: torch.from_numpy(arrays[f"{part}_tags"]).to(device) for part in ("train", "val")}
    names = [key.removesuffix("_owners") for key in arrays if key.endswith("_owners")]
    texts = {
        name: _texts(arrays, name, len(tags.get(name.split("_")[0], range(80))), device) for name in names
    }
    use = {key[4:]: torch.from_numpy(value) for key, value in arrays.items() if key.startswith("use_")}
    features = {part: _features(folder / f"{part}.features").to(device) for part in ("train", "val")}
    return Packed(features, tags, texts, use, torch.from_numpy(arrays["pieces"]))


def _features(path: Path) -> Tensor:
    flat = np.frombuffer(zlib.decompress(path.read_bytes(), -15), np.int8)
    return torch.from_numpy(
        (flat.reshape(1280, -1).T.astype(np.float32) + ZERO_POINT) * FEATURE_SCALE
    ).float()


def _texts(arrays: dict[str, np.ndarray], name: str, rows: int, device: str) -> Texts:
    lengths, owners = arrays[f"{name}_lengths"].astype(np.int64), arrays[f"{name}_owners"].astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    ids = np.full((len(lengths), LONGEST), -1, np.int32)
    for column in range(LONGEST):
        long_enough = lengths > column
        ids[long_enough, column] = arrays[f"{name}_ids"][starts[long_enough] + column]
    counts = np.bincount(owners, minlength=rows)
    firsts = np.cumsum(counts) - counts
    named = arrays.get(f"{name}_named", np.zeros((0, 80), np.uint8))
    return Texts(*[torch.from_numpy(a).to(device) for a in (ids, owners, counts, firsts, named)])
