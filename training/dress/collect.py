"""Extract what dress reads of the labelled people, and of clothes painted with stripes and checks.

PYTHONPATH=src:. python -m training.dress.collect --shared ../shared --work WORK
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from training.dress.paint import paint
from training.vqa.extract import Photographs
from vidence.models.shelf import ModelShelf
from vidence.models.vision.dress.features import person_features, torso_features
from vidence.models.vision.dress.regions import PersonRegions, person_regions
from vidence.models.vision.tiles import SquaresDetector
from vidence.schema.perception import Rgb
from vidence.settings import load_settings

__all__ = ["Labelled", "labelled"]

_SURE, _MIN_HEIGHT, _MIN_AREA = 0.45, 0.3, 0.05
_MIN_PATCH, _MIN_PAINTED = 16, 0.25
_PLAIN = "pl"
_PATTERN = 3


class Labelled(NamedTuple):
    """One labelled person."""

    part: str
    photograph: int
    person: int
    letters: str


def labelled() -> list[Labelled]:
    """Return the labelled people."""
    text = (Path(__file__).parent / "labels.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    return [
        Labelled(part, int(photograph), int(person), letters) for part, photograph, person, letters in rows
    ]


def main() -> None:
    """Write `people.npz` and `painted.npz`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    pictures = Photographs(args.shared / "vqa")
    places = {int(one): k for k, one in enumerate(pictures.ids)}
    finder, people, painted = _Finder(), [], []
    rng = np.random.default_rng(11)
    for one in labelled():
        image = pictures[places[one.photograph]]
        regions = finder.person(image, one.person)
        people.append(person_features(finder.labeller, image, regions))
        if one.part == "fit" and one.letters[_PATTERN] in _PLAIN:
            painted += [(one.photograph, *row) for row in _painted(finder, image, regions, rng)]
    np.savez(args.work / "people.npz", features=np.stack(people))
    photographs, kinds, features = zip(*painted, strict=True)
    np.savez(args.work / "painted.npz", photograph=photographs, kind=kinds, features=np.stack(features))


class _Finder:
    """Finds the people of a photograph as they were when they were labelled."""

    def __init__(self) -> None:
        shelf = ModelShelf.of(load_settings())
        self.labeller, self._pose = shelf.labeller, shelf.pose
        self._detector = SquaresDetector(shelf.detector)

    def person(self, image: Rgb, number: int) -> PersonRegions:
        """Return the regions of a person, counted from the largest."""
        people = [
            one
            for one in self._detector.detect([image])[0]
            if one.category == "person"
            and one.confidence >= _SURE
            and one.box.h >= _MIN_HEIGHT
            and one.box.area >= _MIN_AREA
        ]
        box = sorted(people, key=lambda one: -one.box.area)[number].box
        return person_regions(box, self._pose.estimate([image], [box])[0], aspect=1.0)


def _painted(
    finder: _Finder, image: Rgb, regions: PersonRegions, rng: np.random.Generator
) -> list[tuple[str, np.ndarray]]:
    patch = regions.torso.crop(image)
    if min(patch.shape[:2]) < _MIN_PATCH:
        return []
    found = []
    for kind in ("s", "c"):
        cloth, share = paint(patch, kind, rng)
        if share >= _MIN_PAINTED:
            found.append((kind, torso_features(finder.labeller, cloth)))
    return found


if __name__ == "__main__":
    cv2.setNumThreads(1)
    main()
