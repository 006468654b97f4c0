"""How much a frame looks like each kind of place, by comparing it with captions of places."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from vidence.errors import BackendError
from vidence.language.tables import read_table
from vidence.models.shelf import ModelShelf
from vidence.schema.perception import FloatArray

__all__ = ["SEEMS", "PlaceScores", "feature_places", "places_of", "vector_places"]

SEEMS: Final = "seems_"
PlaceScores = Callable[[FloatArray], dict[str, float]]
_SHARPNESS = 30.0
"""Softmax scale over the captions; near the scale the model was trained with."""


def feature_places(shelf: ModelShelf, feature: FloatArray) -> dict[str, float]:
    """Return how much a frame looks like each place, as signs such as `seems_outdoor`.

    Args:
        feature: the labeller's (1280,) feature of the frame.
    """
    return places_of(shelf, shelf.lens.encoder.encode_images(feature[None])[0])


def vector_places(shelf: ModelShelf) -> PlaceScores | None:
    """Return the same function for vectors of the stage `lens_vectors`; None if another model made them."""
    if shelf.name("image_text") != "lens":
        return None
    return lambda vector: places_of(shelf, vector)


def places_of(shelf: ModelShelf, vector: FloatArray) -> dict[str, float]:
    """Return the same for a vector of lens."""
    places, captions = _captions(shelf)
    likeness = captions @ vector
    share = np.exp(_SHARPNESS * (likeness - likeness.max()))
    share /= share.sum()
    found: dict[str, float] = {}
    for place, value in zip(places, share.tolist(), strict=True):
        # A kind of room is also evidence for being indoors.
        for name in {place, place.split("_")[0]}:
            found[SEEMS + name] = found.get(SEEMS + name, 0.0) + value
    return found


@lru_cache(maxsize=2)
def _captions(shelf: ModelShelf) -> tuple[tuple[str, ...], FloatArray]:
    """Return the places and the vectors of their captions, computed once for all videos."""
    rows = list(read_table("scene_words.tsv"))
    texts = [row[1] for row in rows]
    version = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12]

    def encode(target: Path) -> None:
        with target.open("wb") as file:
            np.save(file, shelf.lens.encoder.encode_texts(texts), allow_pickle=False)

    try:
        path = shelf.built("lens", f"places-{version}.npy", encode, size_bytes=len(texts) * 2048)
        captions: FloatArray = np.load(path, allow_pickle=False)
    except BackendError:
        # A full disk: they are computed again the next time.
        captions = shelf.lens.encoder.encode_texts(texts)
    return tuple(row[0] for row in rows), captions
