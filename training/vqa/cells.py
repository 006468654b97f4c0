"""Whitened cells and boxes of the photographs extracted so far, in float16, as the shipped model sees them.

PYTHONPATH=src:. python -m training.vqa.cells --shared ../shared --work WORK
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.vqa.extract import Photographs, open_arrays
from vidence.models.text.use import PieceTable
from vidence.models.vision.efficientnet import FEATURE_SCALE, LabellerTensors
from vidence.models.vision.eyes.features import BOXES, SIDE, box_means, colour_cells, fine_cells, whiten
from vidence.models.vision.lens import LensEncoder

DEEP, FINE, COLOUR = 80, 24, 12
CELL = DEEP + FINE + COLOUR
ARRAYS = {
    "seen_cells": ((SIDE * SIDE, CELL), "float16"),
    "seen_box_cells": ((BOXES, CELL), "float16"),
    "lens_images": ((512,), "float16"),
    "seen": ((), "bool"),
}
_SAMPLE = 3000
_BLOCK = 256
_DEEP_SCALE, _DEEP_ZERO = np.float32(0.1807631254196167), -3
_FINE_SCALE, _FINE_ZERO = np.float32(0.568510890007019), -1

Arrays = dict[str, NDArray[np.generic]]


def main() -> None:
    """Fill the arrays for all photographs that are extracted and not yet seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    args = parser.parse_args()
    count = len(Photographs(args.shared / "vqa"))
    arrays, out = open_arrays(args.work, count), open_arrays(args.work, count, ARRAYS)
    done = np.flatnonzero(arrays["done"])
    basis = _basis(args.work / "basis.npz", arrays, done)
    lens = LensEncoder(PieceTable(Path(), Path()))
    wanted = [int(k) for k in done if not out["seen"][k]]
    for start in range(0, len(wanted), _BLOCK):
        rows = wanted[start : start + _BLOCK]
        tensors = list(_tensors(arrays, rows))
        cells = whiten(basis, tensors, list(arrays["colours"][rows]))
        out["seen_cells"][rows] = cells
        out["seen_box_cells"][rows] = box_means(cells, arrays["boxes"][rows, :BOXES].astype(np.float32))
        out["lens_images"][rows] = lens.encode_images(np.stack([one.feature for one in tensors]))
        out["seen"][rows] = True
    print(len(done), "photographs")


def _tensors(arrays: Arrays, rows: list[int]) -> Iterator[LabellerTensors]:
    for row in rows:
        yield LabellerTensors(
            (arrays["deep"][row].astype(np.float32) - _DEEP_ZERO) * _DEEP_SCALE,
            (arrays["fine"][row].astype(np.float32) - _FINE_ZERO) * _FINE_SCALE,
            (arrays["pooled"][row].astype(np.float32) + 128) * np.float32(FEATURE_SCALE),
        )


def _basis(path: Path, arrays: Arrays, done: NDArray[np.int64]) -> dict[str, NDArray[np.float32]]:
    """Return the means and leading directions of the cells, fitted the first time to some photographs."""
    if not path.exists():
        chosen = np.random.default_rng(0).choice(done, min(_SAMPLE, len(done)), replace=False)
        tensors = list(_tensors(arrays, [int(k) for k in np.sort(chosen)]))
        deep = np.stack([one.deep for one in tensors]).reshape(-1, 384)
        fine = fine_cells(np.stack([one.fine for one in tensors])).reshape(-1, 4 * 136)
        colours = colour_cells(arrays["colours"][np.sort(chosen)]).reshape(-1, COLOUR)
        basis = {"colour_mean": colours.mean(0), "colour_std": colours.std(0)}
        basis["deep_mean"], basis["deep"] = _directions(deep, DEEP)
        basis["fine_mean"], basis["fine"] = _directions(fine, FINE)
        np.savez(path, **basis)
    with np.load(path) as stored:
        return dict(stored)


def _directions(rows: NDArray[np.float32], count: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    mean = rows.mean(0)
    variance, axes = np.linalg.eigh(np.cov((rows - mean).T))
    return mean, (axes[:, ::-1][:, :count] / np.sqrt(variance[::-1][:count])).astype(np.float32)


if __name__ == "__main__":
    main()
