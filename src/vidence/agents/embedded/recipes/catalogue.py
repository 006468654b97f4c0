"""Which recipe answers which kind of question."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import cast

from vidence.agents.embedded.question.form import Kind
from vidence.agents.embedded.recipes.recipe import Recipe

__all__ = ["find_recipe"]

_ROOM = "vidence.agents.embedded.recipes"
_GENERAL = "general"
# Every module has one `answer(inquiry) -> Steps`; it is imported when its kind is first asked.
_ROWS: dict[Kind, str] = {
    "count": "count",
    "when": "when",
    "order": "order",
    "which": "which",
    "camera": "camera",
    "cuts": "cuts",
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
    return cast("Recipe", import_module(module).answer)
