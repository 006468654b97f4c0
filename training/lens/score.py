"""Retrieval figures: recall at k in both directions and mean average precision."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["mean_average_precision", "recalls"]

CUTS = (1, 5, 10)


def recalls(texts: Tensor, owners: Tensor, images: Tensor) -> tuple[list[float], list[float]]:
    """Return R@1/5/10 in percent, text→image over every sentence and image→text (best of its sentences)."""
    similarity = texts @ images.T
    own = similarity.gather(1, owners[:, None])
    text_rank = (similarity > own).sum(1)
    best = torch.full((len(images),), -2.0, device=own.device).scatter_reduce(0, owners, own[:, 0], "amax")
    image_rank = (similarity > best).sum(0)
    return _share_below(text_rank), _share_below(image_rank)


def mean_average_precision(names: Tensor, images: Tensor, tags: Tensor) -> float:
    """Return the mean average precision, in percent, of ranking `images` by each of the `names`."""
    order = (names @ images.T).argsort(dim=1, descending=True)
    hits = tags.T.float().gather(1, order)
    precision = hits.cumsum(1) / torch.arange(1, hits.shape[1] + 1, device=hits.device)
    return float(100 * ((precision * hits).sum(1) / hits.sum(1).clamp(min=1)).mean())


def _share_below(rank: Tensor) -> list[float]:
    return [round(float((rank < k).float().mean() * 100), 2) for k in CUTS]
