"""Families of actions: what people call one thing and the action model splits into many labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from vidence.language.tables import read_table

__all__ = ["ActionFamily", "action_families"]


@dataclass(frozen=True)
class ActionFamily:
    """One family: dancing, with the eighteen dances that the model knows."""

    name: str
    """As an activity's label: `playing_an_instrument`."""
    english: str
    chinese: str
    labels: frozenset[str]
    """The model's labels that belong to it."""


@lru_cache(maxsize=1)
def action_families() -> tuple[ActionFamily, ...]:
    """Return the families, the smallest first; a label may belong to several."""
    found = (
        ActionFamily(name, english, chinese, frozenset(labels.split(",")))
        for name, english, chinese, labels in read_table("action_families.tsv")
    )
    return tuple(sorted(found, key=lambda family: len(family.labels)))
