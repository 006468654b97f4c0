"""Which recipe measures which kind of question."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from vidence.embedded.recipes.recipe import Recipe
from vidence.language.question import Kind

__all__ = ["find_recipe", "measures"]

_ROOM = "vidence.embedded.recipes"
# Module and function of each kind's recipe, imported when the kind is first asked.
_ROWS: Mapping[Kind, str] = {
    "camera": "scene:tell_camera",
    "colour": "colour:answer",
    "compare": "comparison:compare_moments",
    "count": "count:answer",
    "cuts": "cuts:answer",
    "direction": "direction:answer",
    "heard": "sounds:answer",
    "order": "comparison:order_events",
    "read": "written:answer",
    "said": "speech:answer",
    "what": "members:answer",
    "when": "when:answer",
    "where": "scene:tell_place",
    "which": "which:answer",
    "yes_no": "yes_no:answer",
}


def measures(kind: Kind) -> bool:
    """Tell whether operations measure what a kind asks for; all else is read in the notes or looked at."""
    return kind in _ROWS


def find_recipe(kind: Kind) -> Recipe:
    """Return the recipe of a kind that can be measured."""
    module, _, function = _ROWS[kind].partition(":")
    return cast("Recipe", getattr(import_module(f"{_ROOM}.{module}"), function))
