"""Open-vocabulary search: parts of the picture are compared with names the detector does not know.

Every part is named by the labeller and compared with the words by the image–text model. Neither returns
boxes, so a result's place is only as exact as the part it was found in.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from functools import lru_cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from vidence.language.forms import lookup_forms
from vidence.language.objects import ObjectQuery, english_query, resolve_asked
from vidence.language.tables import read_table
from vidence.models.catalogue import DEFAULTS
from vidence.models.shelf import ModelShelf
from vidence.models.vision.imagenet import labels
from vidence.models.vision.lens import LensImageText
from vidence.schema.perception import Box, Detection, ImageLabels, Rgb

__all__ = ["find_names", "listed_names", "open_words", "own_category", "own_names"]

_SCALES = ((0.75, 1.0), (0.45, 0.8), (0.28, 0.7))
"""Side of the parts, as a share of the shorter side, and their weight; small parts match too easily."""
_OWN_SHARE = 0.5
_COUNTED = 3
_STEP = 0.6
_MOST_PARTS, _MOST_OWN = 70, 12
_REMEMBERED = 12
_NAMED, _LIKE = 0.65, 0.35
"""Weights of the label match and of the image–text similarity."""
_FULLY_LIKE = 0.35
"""Similarity above everyday things that counts as a full match."""
_SPLIT = re.compile(r"\s*(?:,|;|/|\bor\b|、|，|或者|或)\s*", re.IGNORECASE)
_LEAD = re.compile(r"^(?:an?|the|some|any)\s+", re.IGNORECASE)
_EVERYDAY = (
    "a person", "a street", "a wall", "a room", "grass", "the sky", "a tree", "a table", "a building",
    "a floor",
)  # fmt: skip
_RECENT: dict[str, list[ImageLabels]] = {}
_LOCK = Lock()


def listed_names(query: str) -> list[str]:
    """Return the names that a query lists: "a kettle, jug or bottle"; one if it is no list."""
    names = [_LEAD.sub("", part.strip()) for part in _SPLIT.split(query.strip(" .?。？"))]
    return list(dict.fromkeys(name for name in names if name))


def own_names(shelf: ModelShelf) -> list[str]:
    """Return the categories of a user-configured detector; none for the embedded one, which has rules."""
    return [] if shelf.name("objects") == DEFAULTS["objects"] else list(shelf.detector.categories)


def own_category(text: str, shelf: ModelShelf) -> frozenset[str] | None:
    """Return the category of that name if a user-configured detector has it."""
    wanted = [name.lower() for name in listed_names(text)]
    return frozenset(name for name in own_names(shelf) if [name.lower()] == wanted) or None


def open_words(query: ObjectQuery, shelf: ModelShelf) -> str | None:
    """Return the query in words of the open-vocabulary detector; None without one, or if it has no word."""
    if not shelf.has("open_objects"):
        return None
    detector, [asked] = shelf.open_detector, listed_names(query.text)[:1] or [query.text]
    vocabulary: frozenset[str] | None = getattr(detector, "vocabulary", None)
    if vocabulary is not None:
        named = query.head.categories if query.head and not _asks_more(query) else ()
        return next(
            (word for word in (asked.lower(), query.text.lower(), *named) if word in vocabulary), None
        )
    if query.text.isascii() or not getattr(detector, "is_english_only", False):
        return query.text
    return english_query(query)


def find_names(
    image: Rgb, names: Sequence[str], shelf: ModelShelf, *, detected: Sequence[Detection] = ()
) -> list[Detection]:
    """Return the best place of each name with its confidence, the best first.

    Args:
        detected: the detections of the frame; their boxes are compared too, whatever their category.
    """
    own = list(detected[:_MOST_OWN])
    parts = [*_parts(image.shape[1] / image.shape[0]), *((_widened(one.box), 1.0) for one in own)]
    crops = [_cut(image, _widened(one.box)) for one in own]
    labelled = [*_labelled_parts(image, shelf), *shelf.labeller.label(crops)]
    named = _named(names, labelled)
    scores = _NAMED * named + _LIKE * _alike(names, labelled, shelf.lens)
    scores = scores * np.array([weight for _, weight in parts])
    first = len(parts) - len(own)
    found = []
    for row, name in enumerate(names):
        boxed = _boxed(name, own, named[:, first:], row) if len(names) > 1 else None
        best = int(scores[row].argmax())
        if boxed is not None:
            place, share = boxed
            sure = min(share + float(scores[row, first + place]), 0.95)
            found.append(Detection(name, sure, own[place].box))
        else:
            found.append(Detection(name, min(float(scores[row, best]), 0.95), parts[best][0]))
    return sorted(found, key=lambda one: -one.confidence)


def _boxed(
    name: str, own: Sequence[Detection], named: NDArray[np.float64], row: int
) -> tuple[int, float] | None:
    """Return the index and confidence of the detector's best box of the name; None if it has none.

    A detector must choose among its categories, so it counts little where the labeller sees another thing.
    """
    known = resolve_asked(name) or frozenset()
    places = [place for place, one in enumerate(own) if one.category in known]
    if not places:
        return None
    place = max(places, key=lambda each: own[each].confidence)
    rival = float(np.delete(named[:, place], row).max(initial=0.0)) - float(named[row, place])
    return place, _OWN_SHARE * own[place].confidence * float(np.clip(1.0 - 1.2 * rival, 0.3, 1.0))


def _labelled_parts(image: Rgb, shelf: ModelShelf) -> list[ImageLabels]:
    """Label every part of a picture; the last few pictures are cached, since queries repeat."""
    key = f"{image.shape} {zlib.crc32(np.ascontiguousarray(image).tobytes())} {shelf.labeller.model_id}"
    with _LOCK:
        known = _RECENT.get(key)
    if known is None:
        boxes = _parts(image.shape[1] / image.shape[0])
        known = shelf.labeller.label([_cut(image, box) for box, _ in boxes])
        with _LOCK:
            _RECENT[key] = known
            while len(_RECENT) > _REMEMBERED:
                _RECENT.pop(next(iter(_RECENT)))
    return known


def _widened(box: Box) -> Box:
    """Return a box with some margin, as in the images the labeller was trained on."""
    x, y = max(0.0, box.x - 0.1 * box.w), max(0.0, box.y - 0.1 * box.h)
    return Box(x, y, min(1.0 - x, 1.2 * box.w), min(1.0 - y, 1.2 * box.h))


def _parts(aspect: float) -> list[tuple[Box, float]]:
    """Return the whole picture and overlapping square parts, each with its weight."""
    boxes = [(Box(0.0, 0.0, 1.0, 1.0), 1.0)]
    for scale, weight in _SCALES:
        # Sides are shares of the shorter side, so that parts are square.
        width, height = (scale / aspect, scale) if aspect >= 1 else (scale, scale * aspect)
        for y in _places(height):
            boxes += [(Box(x, y, width, height), weight) for x in _places(width)]
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


def _named(names: Sequence[str], parts: Sequence[ImageLabels]) -> NDArray[np.float64]:
    """Return (names, parts): the label probability of each name in each part."""
    return np.array([[_share(_labels_of(name), part) for part in parts] for name in names])


def _share(own: frozenset[str], part: ImageLabels) -> float:
    # A name with a hundred labels, such as dog, would otherwise score on every picture.
    best = [one.score for one in part.scores if one.label in own][:_COUNTED]
    return float(sum(best))


def _alike(names: Sequence[str], parts: Sequence[ImageLabels], lens: LensImageText) -> NDArray[np.float64]:
    """Return (names, parts): similarity to the name above that to everyday things, 0 to 1."""
    images = lens.encoder.encode_images(np.stack([part.feature for part in parts]))
    texts = lens.encode_texts([*names, *_EVERYDAY])
    similarity = (texts @ images.T).astype(np.float64)
    similarity -= similarity.mean(axis=1, keepdims=True)
    apart = similarity[: len(names)] - similarity[len(names) :].mean(axis=0)
    return np.asarray(np.clip(apart / _FULLY_LIKE, 0.0, 1.0))


def _asks_more(query: ObjectQuery) -> bool:
    """Return whether the query asks for more than a category."""
    head = query.head
    rest = (query.companions, query.garments, query.positions, query.extremes, query.sizes, query.postures)
    return any(rest) or any((query.tops, query.denied, query.unchecked)) or bool(head and head.colours)


@lru_cache(maxsize=512)
def _labels_of(name: str) -> frozenset[str]:
    """Return the labeller's labels that a plain name covers: "van" is minivan, moving van, police van."""
    lowered = name.lower()
    forms = lookup_forms(lowered)
    own = set(_look_alikes().get(lowered, ()))
    for label in labels():
        words = re.findall(r"[a-z]+", label.name.lower())
        plain = {
            label.name.lower(),
            label.group.name.lower(),
            label.chinese,
            label.group.chinese,
            *words[-1:],
        }
        if not plain.isdisjoint(forms):
            own.add(label.name)
    return frozenset(own)


@lru_cache(maxsize=1)
def _look_alikes() -> dict[str, tuple[str, ...]]:
    return {name.lower(): tuple(own.split(",")) for name, own in read_table("look_alikes.tsv")}
