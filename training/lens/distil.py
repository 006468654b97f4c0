"""The whole training: an ensemble of wide models, then one small model that learns to agree with it."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from training.lens.network import Lens, Shape
from training.lens.packed import Packed, load_packed
from training.lens.train import Recipe, Taught, embed_texts, fit, validate

__all__ = ["Plan", "fit_and_save", "student", "student_recipe", "teacher_recipe", "teachers"]

log = logging.getLogger(__name__)

WIDE = Shape(
    hidden=3072,
    skip=True,
    feature_dropout=0.2,
    hidden_dropout=0.5,
    piece_dropout=0.3,
    text_dropout=0.3,
)
SMALL = Shape(hidden=1280, feature_dropout=0.2, hidden_dropout=0.3, piece_dropout=0.3, text_dropout=0.2)


@dataclass(frozen=True)
class Plan:
    """How much of everything."""

    teachers: int = 5
    teacher_epochs: int = 105
    student_epochs: int = 417  # the shipped run's: what its lease of an accelerator allowed


def teacher_recipe(number: int, epochs: int) -> Recipe:
    """Return the recipe of one member; every second one is disturbed harder, for variety."""
    if number % 2 == 0:
        return Recipe(shape=WIDE, seed=number, epochs=epochs, noise=0.2)
    harder = replace(WIDE, feature_dropout=0.3, hidden_dropout=0.6, piece_dropout=0.4, text_dropout=0.4)
    return Recipe(shape=harder, seed=number, epochs=epochs, noise=0.3, skipped=0.15, mixed=0.3, decay=0.1)


def teachers(packed: Packed, plan: Plan) -> list[Lens]:
    """Train the ensemble."""
    found = []
    for number in range(plan.teachers):
        found.append(fit(packed, teacher_recipe(number, plan.teacher_epochs)))
        log.info("teacher %d: %s", number, validate(packed, found[-1:]))
    log.info("%d teachers together: %s", len(found), validate(packed, found))
    return found


def student(packed: Packed, ensemble: list[Lens], recipe: Recipe) -> Lens:
    """Train the small model on the captions and on what the ensemble makes of them."""
    captions = torch.cat(
        [embed_texts(model, packed.texts["train_captions"]).bfloat16() for model in ensemble], -1
    )
    scale = sum(model.caption_scale.exp().item() for model in ensemble) / len(ensemble)
    taught = Taught(ensemble, captions / len(ensemble) ** 0.5)
    found = fit(packed, replace(recipe, taught_scale=0.7 * scale), taught)
    log.info("student: %s", validate(packed, [found]))
    return found


def student_recipe(epochs: int) -> Recipe:
    """Return the recipe of the model that ships."""
    return Recipe(
        shape=SMALL, seed=100, epochs=epochs, noise=0.2, mixed=0.5, averaged=0.995, taught_weight=0.7
    )


def fit_and_save(folder: Path, plan: Plan | None = None) -> None:
    """Run the whole training on the packed `folder` and leave `student.npz` there."""
    plan = plan or Plan()
    torch.backends.cuda.matmul.allow_tf32 = True
    packed = load_packed(folder, "cuda" if torch.cuda.is_available() else "cpu")
    small = student(packed, teachers(packed, plan), student_recipe(plan.student_epochs))
    arrays = {name: value.detach().half().cpu().numpy() for name, value in small.state_dict().items()}
    np.savez(folder / "student.npz", **arrays)
