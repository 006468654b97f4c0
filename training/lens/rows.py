"""The photographs' features, captions and tags, and their fixed split by hash."""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["FEATURE_SCALE", "Part", "Row", "Rows", "dequantise", "load_rows", "part_of"]

Part = Literal["train", "val", "test"]

FEATURE_SCALE = 0.0235294122248888  # of the labeller's tensor; its zero point is -128
TEST_SHARE, VAL_SHARE = 0.125, 0.05


@dataclass(frozen=True)
class Row:
    """One photograph: where its features lie, what people wrote about it, what is on it."""

    number: int
    captions: tuple[str, ...]
    tags: tuple[str, ...]
    order: float  # in 0..1, from the hash: decides the part and the order inside it

    @property
    def part(self) -> Part:
        return part_of(self.order)


@dataclass(frozen=True)
class Rows:
    """The whole collection; `features` stays int8, (N, 1280)."""

    rows: tuple[Row, ...]
    features: NDArray[np.int8]

    def of(self, part: Part) -> list[Row]:
        """Return the rows of `part`, in the order of their hashes."""
        return sorted((row for row in self.rows if row.part == part), key=lambda row: row.order)


def part_of(order: float) -> Part:
    """Return the part a hash order falls in."""
    if order < TEST_SHARE:
        return "test"
    return "val" if order < TEST_SHARE + VAL_SHARE else "train"


def load_rows(folder: Path) -> Rows:
    """Read `features.npy` and `rows.json.gz`; equal photographs land in the same part."""
    features = np.load(folder / "features.npy")
    with gzip.open(folder / "rows.json.gz", "rt", encoding="utf-8") as file:
        records = json.load(file)
    # The hash is of the photograph's features, so a photograph collected twice cannot straddle parts.
    orders = [_order(features[i].tobytes()) for i in range(len(features))]
    rows = tuple(
        Row(i, tuple(record["captions"]), tuple(record["tags"]), orders[i])
        for i, record in enumerate(records)
    )
    return Rows(rows, features)


def dequantise(features: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return the pooled activations the labeller's int8 values stand for."""
    return (features.astype(np.float32) + 128.0) * np.float32(FEATURE_SCALE)


def _order(content: bytes) -> float:
    return int.from_bytes(hashlib.sha256(content).digest()[:8], "big") / 2**64
