"""One training run: captions, glosses and tag sentences against photographs, many at a time."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from training.lens.network import Lens, Shape
from training.lens.packed import Packed, Texts
from training.lens.score import mean_average_precision, recalls

__all__ = ["Recipe", "Taught", "embed_images", "embed_texts", "fit", "validate"]

WARM_UP = 60  # steps
BLOCK = 8192


@dataclass(frozen=True)
class Recipe:
    """Every choice of a run; the same recipe on the same machine gives the same weights."""

    shape: Shape = field(default_factory=Shape)
    seed: int = 0
    batch: int = 4096
    epochs: int = 100
    rate: float = 1e-3
    decay: float = 0.05
    noise: float = 0.1  # added to the standardised features
    skipped: float = 0.1  # mean share of pieces dropped from a sentence
    mixed: float = 0.0  # most of another photograph's features blended in
    averaged: float = 0.99  # of the weights, kept each step
    gloss_weight: float = 0.3
    name_weight: float = 0.3
    taught_weight: float = 0.0
    taught_scale: float = 25.0


class Taught(NamedTuple):
    """An ensemble to follow: its image towers, and its concatenated vectors of the training captions."""

    models: list[Lens]
    captions: Tensor

    def images(self, features: Tensor) -> Tensor:
        """Return the concatenated vectors of some, perhaps blended, features."""
        with torch.no_grad():
            return torch.cat([model.image(features) for model in self.models], -1) / len(self.models) ** 0.5


class _Batch(NamedTuple):
    rows: Tensor
    captions: Tensor  # sentence numbers, as are the next three; -1 where the row has none
    glosses: Tensor
    english: Tensor
    chinese: Tensor


def fit(packed: Packed, recipe: Recipe, taught: Taught | None = None) -> Lens:
    """Train a model and return the running average of its weights."""
    torch.manual_seed(recipe.seed)
    features = packed.features["train"]
    device = str(features.device.type)
    logs = torch.log1p(features)
    model = Lens(recipe.shape, logs.mean(0).cpu(), logs.std(0).cpu() + 1e-3, packed.use).to(device)
    average = copy.deepcopy(model)
    optimiser = torch.optim.AdamW(
        model.parameters(),
        lr=recipe.rate,
        weight_decay=recipe.decay,
        betas=(0.9, 0.98),
        fused=device == "cuda",
    )
    steps = recipe.epochs * (len(features) // recipe.batch)
    for step, batch in enumerate(_batches(packed, recipe)):
        for group in optimiser.param_groups:
            group["lr"] = recipe.rate * _schedule(step, steps)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            loss = _loss(model, packed, recipe, batch, taught)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        with torch.no_grad():
            kept = min(recipe.averaged, (step + 1) / (step + 10))
            torch._foreach_lerp_(list(average.parameters()), list(model.parameters()), 1 - kept)
    return average.eval()


@torch.no_grad()
def embed_images(model: Lens, features: Tensor) -> Tensor:
    """Return the vectors of many photographs."""
    return torch.cat([model.image(block) for block in features.split(BLOCK)])


@torch.no_grad()
def embed_texts(model: Lens, texts: Texts) -> Tensor:
    """Return the vectors of many sentences."""
    return torch.cat([model.text(block) for block in texts.ids.split(BLOCK)])


def validate(packed: Packed, models: list[Lens]) -> dict[str, list[float] | float]:
    """Return the figures of `models` together on the validation rows: 1k folds, and names over all rows."""
    images = torch.cat([embed_images(model, packed.features["val"]) for model in models], -1).cpu().numpy()

    def both(name: str) -> NDArray[np.float32]:
        return torch.cat([embed_texts(model, packed.texts[name]) for model in models], -1).cpu().numpy()

    found: dict[str, list[float] | float] = {}
    for kind in ("captions", "glosses"):
        vectors, owners = both(f"val_{kind}"), packed.texts[f"val_{kind}"].owners.cpu().numpy()
        folds = []
        for low in (0, 1000):
            chosen = (owners >= low) & (owners < low + 1000)
            folds.append(recalls(vectors[chosen], owners[chosen] - low, images[low : low + 1000]))
        for i, direction in enumerate(("to_image", "to_text")):
            found[f"{kind}_{direction}"] = [
                round(sum(r) / len(folds), 2) for r in zip(*[f[i] for f in folds], strict=True)
            ]
    for language in ("en", "zh"):
        tags = packed.tags["val"].cpu().numpy()
        found[f"map_{language}"] = mean_average_precision(both(f"names_{language}"), images, tags)
    return found


def _batches(packed: Packed, recipe: Recipe) -> Iterator[_Batch]:
    device = packed.features["train"].device
    total = len(packed.features["train"])
    quarter, eighth = recipe.batch // 4, recipe.batch // 8
    for _ in range(recipe.epochs):
        order = torch.randperm(total, device=device)
        for start in range(0, total - recipe.batch + 1, recipe.batch):
            rows = order[start : start + recipe.batch]
            yield _Batch(
                rows,
                _pick(packed.texts["train_captions"], rows),
                _pick(packed.texts["train_glosses"], rows[:quarter]),
                _pick(packed.texts["train_tags_en"], rows[:eighth]),
                _pick(packed.texts["train_tags_zh"], rows[eighth:quarter]),
            )


def _pick(texts: Texts, rows: Tensor) -> Tensor:
    counts = texts.counts[rows]
    chosen = texts.firsts[rows] + (torch.rand(len(rows), device=rows.device) * counts).long()
    return torch.where(counts > 0, chosen, -1)


def _loss(model: Lens, packed: Packed, recipe: Recipe, batch: _Batch, taught: Taught | None) -> Tensor:
    model.train()
    features = _mix(packed.features["train"][batch.rows], recipe.mixed)
    images = model.image(features, recipe.noise)
    kinds = ("train_captions", "train_glosses", "train_tags_en", "train_tags_zh")
    ids = [packed.texts[kind].ids[chosen] for kind, chosen in zip(kinds, batch[1:], strict=True)]
    vectors = model.text(_skip(torch.cat(ids), recipe.skipped)).split([len(part) for part in ids])
    scale = model.caption_scale.exp().clamp(max=60)
    own = torch.arange(len(images), device=images.device)
    logits = scale * vectors[0] @ images.T
    loss = (F.cross_entropy(logits, own) + F.cross_entropy(logits.T, own)) / 2
    if taught is not None:
        teacher = taught.captions[batch.captions] @ taught.images(features).to(taught.captions.dtype).T
        follow = _follow(logits, recipe.taught_scale * teacher)
        loss = (1 - recipe.taught_weight) * loss + recipe.taught_weight * follow
    wanted = torch.where(batch.glosses >= 0, own[: len(batch.glosses)], -100)  # -100: not counted
    loss = loss + recipe.gloss_weight * F.cross_entropy(scale * vectors[1] @ images.T, wanted)
    names = packed.tags["train"][batch.rows].float()
    for kind, chosen, part in zip(kinds[2:], batch[3:], vectors[2:], strict=True):
        logits = model.name_scale.exp().clamp(max=60) * part @ images.T
        loss = loss + recipe.name_weight * _any_match(
            logits, packed.texts[kind].named[chosen].float(), names, chosen >= 0
        )
    return loss


def _follow(logits: Tensor, teacher: Tensor) -> Tensor:
    rows = F.kl_div(F.log_softmax(logits, 1), F.softmax(teacher.float(), 1), reduction="batchmean")
    columns = F.kl_div(F.log_softmax(logits.T, 1), F.softmax(teacher.float().T, 1), reduction="batchmean")
    return (rows + columns) / 2


def _any_match(logits: Tensor, named: Tensor, tags: Tensor, known: Tensor) -> Tensor:
    """Every photograph that has all the named objects is as right an answer as the sentence's own."""
    right = (named @ tags.T >= named.sum(1, keepdim=True)).float()
    target = right / right.sum(1, keepdim=True).clamp(min=1)
    return -((F.log_softmax(logits, 1) * target).sum(1) * known).sum() / known.sum()


def _mix(features: Tensor, most: float) -> Tensor:
    if not most:
        return features
    share = torch.rand(len(features), 1, device=features.device) * most
    share = share * (torch.rand_like(share) < 0.5)
    return features * (1 - share) + features[torch.randperm(len(features), device=features.device)] * share


def _skip(ids: Tensor, share: float) -> Tensor:
    chance = share * 2 * torch.rand(len(ids), 1, device=ids.device)
    skipped = torch.rand(ids.shape, device=ids.device) < chance
    skipped[:, 0] = False  # a sentence keeps its opening mark, so that it is never empty
    return torch.where(skipped, -1, ids)


def _schedule(step: int, steps: int) -> float:
    return min(1.0, (step + 1) / WARM_UP) * 0.5 * (1 + math.cos(math.pi * step / steps))
