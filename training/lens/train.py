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

__all__ = ["Recipe", "Taught", "embed_images", "embed_texts", "fit", "join", "validate"]

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
    taught_scale: float = 0.7  # below 1, because a model is surer of unseen rows than it should be


@dataclass(frozen=True)
class Taught:
    """Ensembles to follow, one for each fold of the rows: the one that never saw the fold speaks of it.

    A model has learned its own training rows by heart, and there says only what the captions say. Of rows it
    never saw it says which other photographs a caption would fit as well, which is what a student can learn.
    """

    teams: list[list[Lens]]
    folds: Tensor  # (rows,)
    captions: Tensor  # vectors of the training captions, each by the team that never saw its row
    glosses: Tensor

    def images(self, features: Tensor, fold: int) -> Tensor:
        """Return the team's joined and scaled vectors of some, perhaps blended, features of one fold."""
        with torch.no_grad():
            return join([(model.image(features), model) for model in self.teams[fold]])


def join(vectors: list[tuple[Tensor, Lens]]) -> Tensor:
    """Return several models' vectors side by side; a product of two is their mean scaled similarity."""
    scaled = [vector * model.caption_scale.exp().sqrt() for vector, model in vectors]
    return torch.cat(scaled, -1) / len(vectors) ** 0.5


class _Batch(NamedTuple):
    fold: int  # the rows are all of it, where there are folds
    rows: Tensor
    captions: Tensor  # sentence numbers, as are the next three; -1 where the row has none
    glosses: Tensor
    english: Tensor
    chinese: Tensor


def fit(packed: Packed, recipe: Recipe, taught: Taught | None = None, *, rows: Tensor | None = None) -> Lens:
    """Train a model and return the running average of its weights.

    Args:
        rows: training rows to use, all by default.
    """
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
    everything = torch.arange(len(features), device=device) if rows is None else rows
    groups = _groups(everything, taught)
    steps = recipe.epochs * sum(len(group) // recipe.batch for group in groups)
    for step, batch in enumerate(_batches(packed, recipe, groups)):
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


def _groups(rows: Tensor, taught: Taught | None) -> list[Tensor]:
    if taught is None:
        return [rows]
    return [rows[taught.folds[rows] == fold] for fold in range(len(taught.teams))]


def _batches(packed: Packed, recipe: Recipe, groups: list[Tensor]) -> Iterator[_Batch]:
    quarter, eighth = recipe.batch // 4, recipe.batch // 8
    for _ in range(recipe.epochs):
        cuts = []
        for fold, group in enumerate(groups):
            order = group[torch.randperm(len(group), device=group.device)]
            cuts += [(fold, part) for part in order.split(recipe.batch) if len(part) == recipe.batch]
        for place in torch.randperm(len(cuts)).tolist():
            fold, rows = cuts[place]
            yield _Batch(
                fold,
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
    ids = [packed.texts[kind].ids[chosen] for kind, chosen in zip(kinds, batch[2:], strict=True)]
    vectors = model.text(_skip(torch.cat(ids), recipe.skipped)).split([len(part) for part in ids])
    scale = model.caption_scale.exp().clamp(max=60)
    own = torch.arange(len(images), device=images.device)
    logits = scale * vectors[0] @ images.T
    loss = (F.cross_entropy(logits, own) + F.cross_entropy(logits.T, own)) / 2
    wanted = torch.where(batch.glosses >= 0, own[: len(batch.glosses)], -100)  # -100: not counted
    gloss_logits = scale * vectors[1] @ images.T
    gloss_loss = F.cross_entropy(gloss_logits, wanted)
    if taught is not None:
        seen = taught.images(features, batch.fold).to(taught.captions.dtype).T
        share, sharp = recipe.taught_weight, recipe.taught_scale
        loss = (1 - share) * loss + share * _follow(logits, sharp * taught.captions[batch.captions] @ seen)
        told = sharp * taught.glosses[batch.glosses.clamp(min=0)] @ seen
        gloss_loss = (1 - share) * gloss_loss + share * _follow_rows(gloss_logits, told, batch.glosses >= 0)
    loss = loss + recipe.gloss_weight * gloss_loss
    names = packed.tags["train"][batch.rows].float()
    for kind, chosen, part in zip(kinds[2:], batch[4:], vectors[2:], strict=True):
        logits = model.name_scale.exp().clamp(max=60) * part @ images.T
        loss = loss + recipe.name_weight * _any_match(
            logits, packed.texts[kind].named[chosen].float(), names, chosen >= 0
        )
    return loss


def _follow(logits: Tensor, teacher: Tensor) -> Tensor:
    rows = F.kl_div(F.log_softmax(logits, 1), F.softmax(teacher.float(), 1), reduction="batchmean")
    columns = F.kl_div(F.log_softmax(logits.T, 1), F.softmax(teacher.float().T, 1), reduction="batchmean")
    return (rows + columns) / 2


def _follow_rows(logits: Tensor, teacher: Tensor, known: Tensor) -> Tensor:
    apart = F.kl_div(F.log_softmax(logits, 1), F.softmax(teacher.float(), 1), reduction="none").sum(1)
    return (apart * known).sum() / known.sum().clamp(min=1)


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
