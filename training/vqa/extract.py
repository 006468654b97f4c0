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
Shapes = dict[str, tuple[tuple[int, ...], str]]
ARRAYS: Shapes = {
    "deep": ((9, 9, 384), "int8"),
    "fine": ((18, 18, 136), "int8"),
    "pooled": ((1280,), "int8"),
    "boxes": ((BOXES, 6), "float16"),
    "colours": ((18, 18, 3), "uint8"),
    "done": ((), "bool"),
}
_DEEP = 238
_FINE = 212
_POOLED = "efficientnet-lite3/model/head/Squeeze1"


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
    order = np.random.default_rng(SEED).permutation(len(pictures))[part::parts]
    extract(
        pictures, arrays, [int(k) for k in order if not arrays["done"][k]], args.work / f"progress-{part}.txt"
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
    pictures: Photographs, arrays: dict[str, NDArray[np.generic]], wanted: list[int], progress: Path
) -> None:
    """Fill the arrays for the photographs wanted."""
    cv2.setNumThreads(1)
    context = ModelContext(
        ModelCache(load_settings().model_home), threads=1, options={"min_score": str(LOWEST_SCORE)}
    )
    detector = quick_detector(ssd.build(context))
    kinds = {name: number for number, name in enumerate(detector.categories)}
    labeller = efficientnet.build(context)
    started = time.time()
    with labeller._pool.borrow() as model:
        source = model.get_input_details()[0]["index"]
        pooled = efficientnet._feature_index(model.get_tensor_details())
        for done, k in enumerate(wanted, 1):
            image = pictures[k]
            model.set_tensor(source, cv2.resize(image, (280, 280), interpolation=cv2.INTER_LINEAR)[None])
            model.invoke()
            for name, index in (("deep", _DEEP), ("fine", _FINE), ("pooled", pooled)):
                arrays[name][k] = model.get_tensor(index)[0]
            rows = [
                (kinds[found.category], found.confidence, found.box.x, found.box.y, found.box.w, found.box.h)
                for found in detector.detect([image])[0][:BOXES]
            ]
            arrays["boxes"][k] = np.array(rows + [(-1, 0, 0, 0, 0, 0)] * (BOXES - len(rows)), np.float16)
            arrays["colours"][k] = cv2.resize(image, (18, 18), interpolation=cv2.INTER_AREA)
            arrays["done"][k] = True
            if done % 200 == 0:
                progress.write_text(f"{done} of {len(wanted)} after {time.time() - started:.0f} s\n")


if __name__ == "__main__":
    main()
