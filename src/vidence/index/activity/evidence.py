"""What else is to be seen in a span: the things an action can be checked against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from vidence.language.tables import read_table
from vidence.schema.perception import Box, Detection

__all__ = ["Glance", "believe", "needs_of"]

_MIN_OBJECT = 0.35
_MIN_LABEL = 0.05
_CHECKED, _UNCHECKABLE, _CONTRADICTED = 0.85, 0.5, 0.08
"""How much of the model's word is believed when what it needs is seen, cannot be checked, is not seen."""
_NO_PERSON = 0.5
_DISTANT = 0.5
"""Of what is done by people who fill little of the picture the model sees next to nothing."""
_DISTANT_HEIGHT = 0.3


@dataclass(frozen=True)
class Glance:
    """One frame as evidence."""

    time_s: float
    objects: Sequence[Detection]
    labels: dict[str, float] = field(default_factory=dict)
    """Label of the whole picture to its score."""

    @property
    def things(self) -> set[str]:
        """Everything in the frame that has a name."""
        seen = {one.category for one in self.objects if one.confidence >= _MIN_OBJECT}
        return seen | {label for label, score in self.labels.items() if score >= _MIN_LABEL}

    def boxes(self, category: str) -> list[Box]:
        """Return where things of a category are."""
        return [one.box for one in self.objects if one.category == category and one.confidence >= _MIN_OBJECT]


def believe(action: str, glances: Sequence[Glance]) -> float:
    """Return how much of the model's word about `action` to believe, given what else is seen."""
    if not glances:
        return _UNCHECKABLE
    things: set[str] = set().union(*(glance.things for glance in glances))
    needs = needs_of(action)
    trust = _UNCHECKABLE if not needs else _CHECKED if all(n & things for n in needs) else _CONTRADICTED
    heights = [box.h for glance in glances for box in glance.boxes("person")]
    if not heights:
        return trust * _NO_PERSON
    return trust * (_DISTANT if max(heights) < _DISTANT_HEIGHT else 1.0)


@lru_cache(maxsize=512)
def needs_of(action: str) -> tuple[frozenset[str], ...]:
    """Return sets of things of each of which one must be seen for `action` to be believed."""
    words = f" {action} "
    return tuple(
        frozenset(things.split(","))
        for keys, things in read_table("activity_needs.tsv")
        if any(f" {key} " in words for key in keys.split(","))
    )
