"""Retrieval figures: recall at k in both directions, mean average precision, calibration error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["calibration_error", "mean_average_precision", "recalls"]

CUTS = (1, 5, 10)

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


def recalls(texts: Floats, owners: Ints, images: Floats) -> tuple[list[float], list[float]]:
    """Return R@1/5/10 in percent, text→image over every sentence and image→text (best of its sentences)."""
    similarity = texts @ images.T
    own = similarity[np.arange(len(owners)), owners]
    text_rank = (similarity > own[:, None]).sum(1)
    best = np.full(len(images), -2.0, np.float32)
    np.maximum.at(best, owners, own)
    image_rank = (similarity > best).sum(0)
    return _share_below(text_rank), _share_below(image_rank)


def mean_average_precision(names: Floats, images: Floats, tags: NDArray[np.uint8]) -> float:
    """Return the mean average precision, in percent, of ranking `images` by each of the `names`."""
    order = np.argsort(-(names @ images.T), axis=1, kind="stable")
    hits = np.take_along_axis(tags.T.astype(np.float64), order, axis=1)
    precision = hits.cumsum(1) / np.arange(1, hits.shape[1] + 1)
    return round(float(100 * ((precision * hits).sum(1) / np.maximum(hits.sum(1), 1)).mean()), 2)


def calibration_error(probability: NDArray[np.float64], truth: NDArray[np.bool_], bins: int = 10) -> float:
    """Return the expected calibration error over bins of equal width."""
    place = np.minimum((probability * bins).astype(int), bins - 1)
    gaps = [
        (place == i).mean() * abs(probability[place == i].mean() - truth[place == i].mean())
        for i in range(bins)
        if (place == i).any()
    ]
    return round(float(sum(gaps)), 4)


def _share_below(rank: Ints) -> list[float]:
    return [round(float((rank < k).mean() * 100), 2) for k in CUTS]
