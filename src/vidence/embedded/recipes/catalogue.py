"""Which recipe answers which kind of question, and how probable its answers are.

A recipe says how strong its evidence is, on a scale written by hand. That probability is shifted, kind by
kind and in log-odds, towards the measured rate of right answers. The rate is that of a Beta posterior: the
recipe's own probability counts like `_TRUST` questions, so a kind that was asked a few times moves little.
On questions that were new to the recipes, weak answers were right as often as they said and strong ones
more often. So weak answers keep their probability, and no answer that its recipe was unsure of becomes
sure. `docs/asking.md` says which questions were asked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import cast

from vidence.embedded.recipes.recipe import Finding, Inquiry, Recipe, Steps, claim
from vidence.embedded.recipes.spans import CountedPart, nth_part
from vidence.embedded.recipes.wording import pick
from vidence.language.question import Kind

__all__ = ["Outcomes", "calibrated", "find_recipe"]

_ROOM = "vidence.embedded.recipes"
_TRUST = 20.0
_LEAST, _MOST = 0.02, 0.97
_WEAK, _STRONG = 0.35, 0.65
"""Below the first nothing is shifted, from the second on everything is; there the Checker begins to pass."""
_UNSURE = 0.64


@dataclass(frozen=True)
class Outcomes:
    """How the questions of one kind were answered."""

    asked: int
    right: int
    said: float
    """The mean probability its recipe gave its answers."""

    @property
    def rate(self) -> float:
        """The estimated share of right answers of this kind."""
        return (self.right + _TRUST * self.said) / (self.asked + _TRUST)

    @property
    def shift(self) -> float:
        """What is added to the log-odds of an answer of this kind."""
        return _log_odds(self.rate) - _log_odds(self.said)


# Module and function of each kind's recipe, imported when the kind is first asked, and its outcomes so far.
_ROWS: Mapping[Kind, tuple[str, Outcomes | None]] = {
    "camera": ("scene:tell_camera", Outcomes(2, 2, 0.90)),
    "colour": ("colour:answer", Outcomes(13, 12, 0.68)),
    "compare": ("comparison:compare_moments", Outcomes(2, 1, 0.64)),
    "count": ("count:answer", Outcomes(20, 16, 0.61)),
    "cuts": ("cuts:answer", Outcomes(9, 7, 0.77)),
    "describe": ("scene:describe_part", Outcomes(5, 4, 0.70)),
    "direction": ("actions:tell_direction", None),
    "doing": ("actions:tell_action", Outcomes(4, 4, 0.43)),
    "heard": ("sounds:answer", Outcomes(7, 6, 0.83)),
    "order": ("comparison:order_events", Outcomes(7, 7, 0.66)),
    "read": ("read:answer", Outcomes(12, 10, 0.66)),
    "said": ("speech:answer", Outcomes(12, 12, 0.82)),
    "what": ("what:answer", Outcomes(21, 14, 0.60)),
    "when": ("when:answer", Outcomes(21, 18, 0.59)),
    "where": ("scene:tell_place", Outcomes(1, 0, 0.36)),
    "which": ("which:answer", Outcomes(4, 4, 0.69)),
    "who": ("who:answer", Outcomes(1, 0, 0.45)),
    "why": ("why:answer", Outcomes(1, 1, 0.50)),
    "yes_no": ("yes_no:answer", Outcomes(27, 18, 0.61)),
}


def find_recipe(kind: Kind) -> Recipe:
    """Return the recipe of a kind."""
    module, _, function = _ROWS[kind][0].partition(":")
    return partial(_follow, cast("Recipe", getattr(import_module(f"{_ROOM}.{module}"), function)))


def _follow(recipe: Recipe, inquiry: Inquiry) -> Steps:
    """Follow a recipe and calibrate its probability; a shot or scene that is missing is reported instead."""
    counted = yield from nth_part(inquiry)
    if counted is not None and counted.span is None:
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


def calibrated(kind: Kind, probability: float) -> float:
    """Return the calibrated probability of an answer, given its recipe's own."""
    known = _ROWS[kind][1]
    inside = min(max(probability, _LEAST), _MOST)
    if known is None:
        return inside
    weight = min(max((inside - _WEAK) / (_STRONG - _WEAK), 0.0), 1.0)
    shifted = 1 / (1 + math.exp(-_log_odds(inside) - weight * known.shift))
    return min(max(shifted, _LEAST), _MOST if inside >= _STRONG else _UNSURE)


def _log_odds(probability: float) -> float:
    return math.log(probability / (1 - probability))
