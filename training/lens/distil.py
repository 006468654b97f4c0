"""The whole training: wide models on parts of the rows, then one small model that learns from what they say.

Each wide model leaves out a quarter of the training rows, and speaks of that quarter alone.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from training.lens.network import Lens, Shape
from training.lens.packed import Packed, Texts, load_packed
from training.lens.train import BLOCK, Recipe, Taught, fit, join, validate

__all__ = ["Plan", "fit_and_save", "student", "student_recipe", "teach", "teacher_recipe"]

log = logging.getLogger(__name__)

WIDE = Shape(hidden=3072, feature_dropout=0.3, hidden_dropout=0.6, piece_dropout=0.3, text_dropout=0.3)
SMALL = Shape(hidden=1536, feature_dropout=0.3, hidden_dropout=0.5, piece_dropout=0.3, text_dropout=0.3)
FOLD_SEED = 8


@dataclass(frozen=True)
class Plan:
    """How much of everything."""

    folds: int = 4
    team: int = 2  # models that leave out the same fold
    teacher_epochs: int = 200
    student_epochs: int = 708  # the shipped run's: what its lease of an accelerator allowed


def teacher_recipe(fold: int, number: int, epochs: int) -> Recipe:
    """Return the recipe of one member; members of a team differ in how far photographs are blended."""
    blended = (0.3, 0.5)[number % 2]
    return Recipe(
        shape=WIDE,
        seed=10 * (number + 1) + fold,
        epochs=epochs,
        noise=0.3,
        skipped=0.15,
        mixed=blended,
        decay=0.1,
        averaged=0.995,
    )


def student_recipe(epochs: int) -> Recipe:
    """Return the recipe of the model that ships."""
    return Recipe(
        shape=SMALL,
        seed=100,
        epochs=epochs,
        noise=0.3,
        skipped=0.12,
        mixed=0.3,
        decay=0.1,
        averaged=0.999,
        taught_weight=0.5,
    )


def teach(packed: Packed, plan: Plan) -> Taught:
    """Train the teams and let each speak of the fold it never saw."""
    total, device = len(packed.features["train"]), packed.features["train"].device
    order = torch.randperm(total, generator=torch.Generator().manual_seed(FOLD_SEED))
    folds = (order % plan.folds).to(device)
    teams = [[_teacher(packed, folds, fold, n, plan) for n in range(plan.team)] for fold in range(plan.folds)]
    captions, glosses = (
        _say(packed.texts[f"train_{kind}"], folds, teams) for kind in ("captions", "glosses")
    )
    return Taught(teams, folds, captions, glosses)


def student(packed: Packed, taught: Taught, recipe: Recipe) -> Lens:
    """Train the small model on the captions and on what the teams make of them."""
    found = fit(packed, recipe, taught)
    log.info("student: %s", validate(packed, [found]))
    return found


def fit_and_save(folder: Path, plan: Plan | None = None) -> None:
    """Run the whole training on the packed `folder` and leave `student.npz` there."""
    plan = plan or Plan()
    torch.backends.cuda.matmul.allow_tf32 = True
    packed = load_packed(folder, "cuda" if torch.cuda.is_available() else "cpu")
    small = student(packed, teach(packed, plan), student_recipe(plan.student_epochs))
    arrays = {name: value.detach().half().cpu().numpy() for name, value in small.state_dict().items()}
    np.savez(folder / "student.npz", **arrays)


def _teacher(packed: Packed, folds: Tensor, fold: int, number: int, plan: Plan) -> Lens:
    rows = torch.nonzero(folds != fold)[:, 0]
    found = fit(packed, teacher_recipe(fold, number, plan.teacher_epochs), rows=rows)
    log.info("teacher %d without fold %d: %s", number, fold, validate(packed, [found]))
    return found


@torch.no_grad()
def _say(texts: Texts, folds: Tensor, teams: list[list[Lens]]) -> Tensor:
    """Return the vectors of sentences, each by the team that never saw its row."""
    whose = folds[texts.owners]
    found = torch.zeros(len(whose), len(teams[0]) * 512, dtype=torch.bfloat16, device=whose.device)
    for fold, team in enumerate(teams):
        places = torch.nonzero(whose == fold)[:, 0]
        for block in places.split(BLOCK):
            found[block] = join([(model.text(texts.ids[block]), model) for model in team]).bfloat16()
    return found
