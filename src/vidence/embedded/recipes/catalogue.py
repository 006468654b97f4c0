"""Which recipe answers which kind of question."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import cast

from vidence.embedded.calibration import calibrated
from vidence.embedded.recipes.cite import claim
from vidence.embedded.recipes.moments import CountedPart, nth_part
from vidence.embedded.recipes.recipe import Finding, Inquiry, Recipe, Steps
from vidence.embedded.recipes.wording import pick
from vidence.language.question.form import Kind

__all__ = ["find_recipe"]

_ROOM = "vidence.embedded.recipes"
_GENERAL = "general"
# Every module has one `answer(inquiry) -> Steps`; it is imported when its kind is first asked.
_ROWS: dict[Kind, str] = {
    "count": "count",
    "when": "when",
    "order": "order",
    "which": "which",
    "camera": "camera",
    "cuts": "cuts",
    "compare": "compare",
    "direction": "direction",
    "said": "said",
    "heard": "heard",
    "read": "read",
    "colour": "colour",
    "what": "what",
    "who": "who",
    "where": "where",
    "doing": "doing",
    "why": "why",
    "yes_no": "yes_no",
    "describe": "describe",
}


def find_recipe(kind: Kind) -> Recipe:
    """Return the recipe of a kind; a kind without one of its own gets the general one."""
    module = f"{_ROOM}.{_ROWS[kind]}"
    if find_spec(module) is None:
        module = f"{_ROOM}.{_GENERAL}"
    return partial(_follow, cast("Recipe", import_module(module).answer))


def _follow(recipe: Recipe, inquiry: Inquiry) -> Steps:
    """Follow a recipe, unless the question counts to a shot or a scene that is not there.

    What the recipe holds its answer's probability to be is set right by what came of others of its kind.
    """
    counted = yield from nth_part(inquiry)
    if counted is not None and counted.moment is None:
        return _too_few(inquiry, counted)
    found = yield from recipe(inquiry)
    if found.cannot_tell:
        return found
    return replace(found, probability=calibrated(inquiry.form.kind, found.probability))


def _too_few(inquiry: Inquiry, part: CountedPart) -> Finding:
    assert inquiry.form.ordinal is not None
    unit, language, count = inquiry.form.ordinal.unit, inquiry.form.language, part.count
    chinese = "镜头" if unit == "shot" else "场景"
    said = pick(
        language,
        f"The video has {count} {unit}{'' if count == 1 else 's'}.",
        f"视频共有 {count} 个{chinese}。",
    )
    text = pick(language, f"There is no such {unit}. {said}", f"没有这样的{chinese}。{said}")
    return Finding(text, 0.7, claim(said, part.record))
