"""What the shipped model sees of the photographs extracted so far: cells, boxes, regions, the whole.

PYTHONPATH=src:. python -m training.vqa.cells --shared ../shared --work WORK
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.vqa.extract import Photographs, directions, open_arrays
from vidence.models.cache import ModelCache
from vidence.models.context import ModelContext
from vidence.models.text.use import PieceTable
from vidence.models.vision import efficientnet
from vidence.models.vision.eyes.features import (
    BOXES,
    REGIONS,
    SIDE,
    box_means,
    colour_cells,
    fine_cells,
    region_means,
    whiten,
    whole,
)
from vidence.models.vision.lens import LensEncoder
from vidence.settings import load_settings

DEEP, FINE, OBJECT, COLOUR, REGION, POOLED = 48, 16, 48, 12, 80, 32
CELL = DEEP + FINE + OBJECT + COLOUR
ARRAYS = {
    "seen_cells": ((SIDE * SIDE, CELL), "float16"),
    "seen_box_cells": ((BOXES, CELL), "float16"),
    "regions": ((REGIONS + BOXES, REGION), "float16"),
    "whole": ((POOLED + 80,), "float16"),
    "lens_images": ((512,), "float16"),
    "seen": ((), "bool"),
}
_SAMPLE = 2500
_BLOCK = 64
_DEEP_SCALE, _DEEP_ZERO = np.float32(0.1807631254196167), -3
_FINE_SCALE, _FINE_ZERO = np.float32(0.568510890007019), -1
_HEAD_KERNEL, _HEAD_BIAS = 75, 148
_MOST = 6.0

Arrays = dict[str, NDArray[np.generic]]


class Stored:
    """The extracted tensors of photographs, widened."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays
        self._lens = LensEncoder(PieceTable(Path(), Path()))
        labeller = efficientnet.build(ModelContext(ModelCache(load_settings().model_home)))
        with labeller._pool.borrow() as model:
            detail = next(one for one in model.get_tensor_details() if one["index"] == _HEAD_KERNEL)
            scale = detail["quantization_parameters"]["scales"].astype(np.float32)
            self._kernel = (model.get_tensor(_HEAD_KERNEL).reshape(1280, 384) * scale[:, None]).T
            self._bias = model.get_tensor(_HEAD_BIAS) * scale * _DEEP_SCALE

    def deep(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        return (self._arrays["deep"][rows].astype(np.float32) - _DEEP_ZERO) * _DEEP_SCALE

    def fine(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        return (self._arrays["fine"][rows].astype(np.float32) - _FINE_ZERO) * _FINE_SCALE

    def pooled(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        return (self._arrays["pooled"][rows].astype(np.float32) + 128) * np.float32(
            efficientnet.FEATURE_SCALE
        )

    def inner(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the detector's features in their leading directions, as they were stored."""
        return self._arrays["object"][rows][..., :OBJECT].astype(np.float32)

    def boxes(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        return self._arrays["boxes"][rows, :BOXES].astype(np.float32)

    def regions(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return (N, REGIONS + BOXES, 512): lens of each region, from the head's feature of each cell."""
        head = np.clip(self.deep(rows).reshape(-1, 384) @ self._kernel + self._bias, 0, _MOST)
        means = region_means(head.reshape(len(rows), SIDE * SIDE, 1280), self.boxes(rows))
        found = self._lens.encode_images(means.reshape(-1, 1280))
        return found.reshape(len(rows), -1, found.shape[-1])

    def lens(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        return self._lens.encode_images(self.pooled(rows))

    def array(self, name: str, rows: NDArray[np.int64]) -> NDArray[np.generic]:
        return self._arrays[name][rows]


def main() -> None:
    """Fill the arrays for all photographs that are extracted and not yet seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    args = parser.parse_args()
    count = len(Photographs(args.shared / "vqa"))
    arrays, out = open_arrays(args.work, count), open_arrays(args.work, count, ARRAYS)
    done = np.flatnonzero(arrays["done"])
    stored = Stored(arrays)
    basis = open_basis(args.work / "basis.npz", stored, done)
    # The detector's features were stored in their leading directions already.
    basis |= {"object_mean": np.zeros(OBJECT, np.float32), "object": np.eye(OBJECT, dtype=np.float32)}
    wanted = done[~out["seen"][done]]
    for start in range(0, len(wanted), _BLOCK):
        rows = wanted[start : start + _BLOCK]
        cells = whiten(
            basis, stored.deep(rows), stored.fine(rows), stored.inner(rows), stored.array("colours", rows)
        )
        out["seen_cells"][rows] = cells
        out["seen_box_cells"][rows] = box_means(cells, stored.boxes(rows))
        out["regions"][rows] = (stored.regions(rows) - basis["region_mean"]) @ basis["region"]
        peaks = stored.array("peaks", rows).astype(np.float32)
        out["whole"][rows] = whole(basis, stored.pooled(rows), peaks)
        out["lens_images"][rows] = stored.lens(rows)
        out["seen"][rows] = True
    print(len(done), "photographs")


def open_basis(path: Path, stored: Stored, done: NDArray[np.int64]) -> dict[str, NDArray[np.float32]]:
    """Return the means and leading directions of all parts, fitted the first time to some photographs."""
    if not path.exists():
        rows = np.sort(np.random.default_rng(0).choice(done, min(_SAMPLE, len(done)), replace=False))
        basis: dict[str, NDArray[np.float32]] = {}
        basis["deep_mean"], basis["deep"] = directions(stored.deep(rows).reshape(-1, 384), DEEP)
        basis["fine_mean"], basis["fine"] = directions(
            fine_cells(stored.fine(rows)).reshape(-1, 4 * 136), FINE
        )
        colours = colour_cells(stored.array("colours", rows)).reshape(-1, COLOUR)
        basis["colour_mean"], basis["colour_std"] = colours.mean(0), colours.std(0)
        basis["pooled_mean"], basis["pooled"] = directions(np.log1p(stored.pooled(rows)), POOLED)
        regions = stored.regions(rows[::2])[:, : REGIONS + 4].reshape(-1, 512)
        basis["region_mean"], basis["region"] = directions(regions, REGION)
        basis |= {"peaks_mean": np.zeros(80, np.float32), "peaks_std": np.ones(80, np.float32)}
        odds = whole(basis, stored.pooled(rows), stored.array("peaks", rows).astype(np.float32))[:, POOLED:]
        basis |= {"peaks_mean": odds.mean(0), "peaks_std": odds.std(0) + np.float32(0.1)}
        np.savez(path, **basis)
    with np.load(path) as found:
        return dict(found)


if __name__ == "__main__":
    main()
