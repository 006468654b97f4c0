"""Looking for things by names the detector does not know: parts of the picture against words.

Every part is named by the labeller and compared with the words by the image–text model. Neither draws boxes,
so a find's place is only as exact as the part it was found in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vidence.models.imagenet import labels
from vidence.models.lens import LensImageText
from vidence.models.shelf import ModelShelf
from vidence.schema.perception import Box, Detection, ImageLabels, Rgb

__all__ = ["find_names", "listed_names"]

_SCALES = (0.75, 0.45, 0.28)
_STEP = 0.6
_MOST_PARTS = 70
_NAMED, _LIKE = 0.65, 0.35
"""What a label of the part and its likeness to the words are worth."""
_FULLY_LIKE = 0.35
"""How much more like the words than like everyday things a part is at most."""
_SPLIT = re.compile(r"\s*(?:,|;|/|\bor\b|、|，|或者|或)\s*", re.IGNORECASE)
_LEAD = re.compile(r"^(?:an?|the|some|any)\s+", re.IGNORECASE)
_EVERYDAY = tuple(
    ["a person", "a street", "a wall", "a room", "grass", "the sky", "a tree", "a table", "a building", "a floor"]
)


def listed_names(query: str) -> list[str]:
    """Return the things a query lists: "a kettle, jug or bottle"; one when it lists none."""
    names = [_LEAD.sub("", part.strip()) for part in _SPLIT.split(query.strip(" .?。？"))]
    return list(dict.fromkeys(name for name in names if name))


def find_names(image: Rgb, names: Sequence[str], shelf: ModelShelf) -> list[Detection]:
    """Return where each name fits best and how well, the best first."""
    boxes = _parts(image.shape[1] / image.shape[0])
    named = shelf.labeller.label([_cut(image, box) for box in boxes])
    scores = _NAMED * _labelled(names, named)
    if shelf.has("image_text") and isinstance(shelf.image_text, LensImageText):
        scores = scores + _LIKE * _alike(names, named, shelf.image_text)
    best = scores.argmax(axis=1)
    found = [
        Detection(name, float(min(0.95, scores[row, best[row]])), boxes[int(best[row])])
        for row, name in enumerate(names)
    ]
    return sorted(found, key=lambda one: -one.confidence)


def _parts(aspect: float) -> list[Box]:
    """Return the whole picture and square parts of several sizes that overlap."""
    boxes = [Box(0.0, 0.0, 1.0, 1.0)]
    for scale in _SCALES:
        # Sides are shares of the shorter side, so that parts are square.
        width, height = (scale / aspect, scale) if aspect >= 1 else (scale, scale * aspect)
        for y in _places(height):
            boxes += [Box(x, y, width, height) for x in _places(width)]
    return boxes[:_MOST_PARTS]


def _places(size: float) -> list[float]:
    if size >= 1.0:
        return [0.0]
    count = int(np.ceil((1.0 - size) / (size * _STEP))) + 1
    return [float(place) for place in np.linspace(0.0, 1.0 - size, count)]


def _cut(image: Rgb, box: Box) -> Rgb:
    height, width = image.shape[:2]
    top, left = int(box.y * height), int(box.x * width)
    return image[top : top + max(int(box.h * height), 8), left : left + max(int(box.w * width), 8)]


def _labelled(names: Sequence[str], parts: Sequence[ImageLabels]) -> NDArray[np.float64]:
    """Return (names, parts): how much of each part's labels go to the name."""
    wanted = [_labels_of(name) for name in names]
    return np.array(
        [[sum(one.score for one in part.scores if one.label in own) for part in parts] for own in wanted]
    )


def _alike(names: Sequence[str], parts: Sequence[ImageLabels], lens: LensImageText) -> NDArray[np.float64]:
    """Return (names, parts): how far each part is more like the name than like everyday things, 0 to 1."""
    images = lens.encoder.encode_images(np.stack([part.feature for part in parts]))
    texts = lens.encode_texts([*names, *_EVERYDAY])
    similarity = (texts @ images.T).astype(np.float64)
    similarity -= similarity.mean(axis=1, keepdims=True)
    apart = similarity[: len(names)] - similarity[len(names) :].mean(axis=0)
    return np.asarray(np.clip(apart / _FULLY_LIKE, 0.0, 1.0))


@lru_cache(maxsize=512)
def _labels_of(name: str) -> frozenset[str]:
    """Return the labeller's labels that a plain name covers: "van" is minivan, moving van, police van."""
    lowered = name.lower()
    single = lowered.removesuffix("s") if len(lowered) > 3 else lowered
    own = set()
    for label in labels():
        words = re.findall(r"[a-z]+", label.name.lower())
        plain = {
            label.name.lower(),
            label.group.name.lower(),
            label.chinese,
            label.group.chinese,
            *words[-1:],
        }
        ends = bool(words) and len(single) >= 3 and words[-1].endswith(single)
        if plain & {lowered, single} or ends:
            own.add(label.name)
    return frozenset(own)
