"""Measure how far each unbounded tensor of the detector goes on real pictures; write the table that ships.

    python -m training.detector PICTURES_OR_VIDEOS… > src/vidence/models/data/ssd_ranges.tsv

Half of what is read only checks the ranges: the share of its values that they would cut off goes to stderr.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.media import open_video
from vidence.models.cache import ModelCache
from vidence.models.runtime import OnnxModel
from vidence.models.ssd import MODEL
from vidence.models.ssd_graph import convert_watched
from vidence.settings import Settings

_FRAMES = 40
_TAIL = 1e-5
"""Share of values cut off at either end of a range: a few strays are not worth coarser steps for all."""
_PICTURES = (".jpg", ".jpeg", ".png")


def main(sources: list[Path]) -> None:
    """Write name, low and high of every tensor."""
    pictures = [image for source in sources for image in _images(source)]
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "floats.onnx"
        source = ModelCache(Settings().model_home).path(MODEL, "graph")
        names = convert_watched(source, target)
        model = OnnxModel(target, threads=2)
        lows, highs = _ranges(model, names, pictures[::2])
        print(f"# Measured on {len(pictures[::2])} pictures by training.detector: tensor, low, high.")
        for name, low, high in zip(names, lows, highs, strict=True):
            print(f"{name}\t{low:.5g}\t{high:.5g}")
        print(
            f"cut off elsewhere: {_cut_off(model, names, pictures[1::2], lows, highs):.2g}", file=sys.stderr
        )


def _images(source: Path) -> Iterator[NDArray[np.uint8]]:
    if source.is_dir():
        for path in sorted(source.rglob("*")):
            if path.is_file():
                yield from _images(path)
    elif source.suffix.lower() in _PICTURES:
        yield np.asarray(cv2.imread(str(source), cv2.IMREAD_COLOR_RGB), np.uint8)
    else:
        with open_video(source) as reader:
            for picture in reader.frames(every_s=max(reader.info.duration_s / _FRAMES, 0.2)):
                yield picture.rgb(max_side=960)


def _run(model: OnnxModel, names: list[str], image: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
    small = cv2.resize(np.ascontiguousarray(image), (300, 300), interpolation=cv2.INTER_LINEAR)
    return model.run({"image": np.ascontiguousarray(small.transpose(2, 0, 1)[None])}, names)


def _ranges(
    model: OnnxModel, names: list[str], pictures: list[NDArray[np.uint8]]
) -> tuple[list[float], list[float]]:
    tails: list[list[NDArray[np.float32]]] = [[] for _ in names]
    counts = np.zeros(len(names))
    for image in pictures:
        for place, values in enumerate(_run(model, names, image)):
            flat = np.sort(values.ravel())
            keep = min(len(flat) // 2, 400)
            tails[place] += [flat[:keep], flat[-keep:]]
            counts[place] += flat.size
    lows, highs = [], []
    for found, count in zip(tails, counts, strict=True):
        values, cut = np.sort(np.concatenate(found)), int(count * _TAIL)
        lows.append(float(values[cut]))
        highs.append(float(values[-1 - cut]))
    return lows, highs


def _cut_off(
    model: OnnxModel,
    names: list[str],
    pictures: list[NDArray[np.uint8]],
    lows: list[float],
    highs: list[float],
) -> float:
    shares = [
        float(((values < low) | (values > high)).mean())
        for image in pictures
        for values, low, high in zip(_run(model, names, image), lows, highs, strict=True)
    ]
    return float(np.mean(shares))


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
