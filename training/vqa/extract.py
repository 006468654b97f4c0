"""Extract what the embedded models see in each photograph, once, to arrays on disk.

    PYTHONPATH=src:. python -m training.vqa.extract --shared ../shared --work WORK --part 0/2

Photographs come in random order, so training can begin before all are done (`done.npy` says which are).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.models.cache import ModelCache
from vidence.models.context import ModelContext
from vidence.models.protocols import quick_detector
from vidence.models.vision import efficientnet, ssd
from vidence.models.vision.eyes.features import LOWEST_SCORE
from vidence.settings import load_settings

__all__ = ["ARRAYS", "Photographs", "open_arrays"]

SEED = 14
BOXES = 24
OBJECT = 128
"""Leading directions of the detector's inner tensor that are kept: all 1,280 would take 5 GB."""
_SAMPLE = 500
Shapes = dict[str, tuple[tuple[int, ...], str]]
ARRAYS: Shapes = {
    "deep": ((9, 9, 384), "int8"),
    "fine": ((18, 18, 136), "int8"),
    "pooled": ((1280,), "int8"),
    "boxes": ((BOXES, 6), "float16"),
    "colours": ((18, 18, 3), "uint8"),
    "object": ((10, 10, OBJECT), "float16"),
    "peaks": ((80,), "float16"),
    "done": ((), "bool"),
}
_TENSORS = {
    "deep": efficientnet._DEEP_TENSOR,
    "fine": efficientnet._FINE_TENSOR,
    "pooled": efficientnet._FEATURE_TENSOR,
}


def main() -> None:
    """Extract one part of the photographs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--part", default="0/1", help="such as 0/2: the first of two processes")
    args = parser.parse_args()
    part, parts = map(int, args.part.split("/"))
    pictures = Photographs(args.shared / "vqa")
    arrays = open_arrays(args.work, len(pictures))
    order = np.random.default_rng(SEED).permutation(len(pictures))
    # A process that has done its own part helps with the others', from their ends.
    others = [order[k::parts][::-1] for k in range(parts) if k != part]
    extract(
        pictures, arrays, np.concatenate([order[part::parts], *others]), args.work / f"progress-{part}.txt"
    )


class Photographs:
    """The photographs by number."""

    def __init__(self, folder: Path) -> None:
        with np.load(folder / "images_index.npz") as index:
            self.ids, self._offsets = index["ids"], index["offsets"]
        self._bytes = np.memmap(folder / "images.bin", np.uint8, "r")

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, k: int) -> NDArray[np.uint8]:
        coded = np.asarray(self._bytes[self._offsets[k] : self._offsets[k + 1]])
        return np.asarray(cv2.cvtColor(cv2.imdecode(coded, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB), np.uint8)


def open_arrays(work: Path, count: int, named: Shapes = ARRAYS) -> dict[str, NDArray[np.generic]]:
    """Open the arrays on disk, made the first time."""
    work.mkdir(parents=True, exist_ok=True)
    arrays = {}
    for name, (shape, kind) in named.items():
        path = work / f"{name}.npy"
        if not path.exists():
            np.lib.format.open_memmap(path, "w+", kind, (count, *shape)).flush()
        arrays[name] = np.load(path, mmap_mode="r+")
    return arrays


def extract(
    pictures: Photographs, arrays: dict[str, NDArray[np.generic]], wanted: NDArray[np.int64], progress: Path
) -> None:
    """Fill the arrays for the photographs wanted."""
    cv2.setNumThreads(1)
    context = ModelContext(
        ModelCache(load_settings().model_home), threads=1, options={"min_score": str(LOWEST_SCORE)}
    )
    detector = quick_detector(ssd.build(context))
    assert isinstance(detector, ssd.SsdDetector)
    mean, axes = object_basis(progress.parent / "object_basis.npz", detector, pictures)
    kinds = {name: number for number, name in enumerate(detector.categories)}
    labeller = efficientnet.build(context)
    started, done = time.time(), 0
    with labeller._pool.borrow() as model:
        details = model.get_tensor_details()
        places = {name: efficientnet._find(details, tensor)["index"] for name, tensor in _TENSORS.items()}
        for k in wanted:
            if arrays["done"][k]:
                continue
            image = pictures[int(k)]
            efficientnet._run(model, image)
            for name, index in places.items():
                arrays[name][k] = model.get_tensor(index)[0]
            seen = detector.tensors(image)
            rows = [
                (kinds[found.category], found.confidence, found.box.x, found.box.y, found.box.w, found.box.h)
                for found in seen.found[:BOXES]
            ]
            arrays["object"][k] = (seen.features - mean) @ axes
            arrays["peaks"][k] = seen.peaks
            arrays["boxes"][k] = np.array(rows + [(-1, 0, 0, 0, 0, 0)] * (BOXES - len(rows)), np.float16)
            arrays["colours"][k] = cv2.resize(image, (18, 18), interpolation=cv2.INTER_AREA)
            arrays["done"][k] = True
            done += 1
            if done % 200 == 0:
                progress.write_text(f"{done} after {time.time() - started:.0f} s\n")


def object_basis(
    path: Path, detector: ssd.SsdDetector, pictures: Photographs
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return mean and leading directions of the detector's inner tensor, fitted the first time."""
    if not path.exists():
        chosen = np.random.default_rng(SEED).permutation(len(pictures))[:_SAMPLE]
        rows = np.concatenate([detector.tensors(pictures[int(k)]).features.reshape(-1, 1280) for k in chosen])
        mean, axes = directions(rows, OBJECT)
        np.savez(path, mean=mean, axes=axes)
    with np.load(path) as stored:
        return stored["mean"], stored["axes"]


def directions(rows: NDArray[np.float32], count: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the mean and the leading directions, scaled so that each number has variance 1."""
    mean = rows.mean(0)
    variance, axes = np.linalg.eigh(np.cov((rows - mean).T))
    return mean, (axes[:, ::-1][:, :count] / np.sqrt(variance[::-1][:count])).astype(np.float32)


if __name__ == "__main__":
    main()
