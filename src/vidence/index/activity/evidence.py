"""The objects and labels in view, against which an action is checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from vidence.language.categories import categories
from vidence.language.tables import read_table
from vidence.schema.perception import Box, Detection

__all__ = ["FrameEvidence", "is_checked", "needs_of", "trust_in"]

_MIN_OBJECT = 0.35
_MIN_LABEL = 0.05
_CHECKED, _UNCHECKABLE, _CONTRADICTED = 0.85, 0.5, 0.08
"""Trust in an action when the objects it needs are seen, cannot be checked, are not seen."""
_STEADY = 0.85
"""Trust in an action that cannot be checked but leads in most clips."""
_NO_PERSON = 0.5
_DISTANT = 0.5
"""Trust in an action of people who fill little of the picture, which the model hardly sees."""
_DISTANT_HEIGHT = 0.3


@dataclass(frozen=True)
class FrameEvidence:
    """One frame as evidence."""

    time_s: float
    objects: Sequence[Detection]
    labels: dict[str, float] = field(default_factory=dict)
    """Label of the whole picture to its score."""

    @property
    def things(self) -> set[str]:
        """The names of everything in the frame."""
        seen = {one.category for one in self.objects if one.confidence >= _MIN_OBJECT}
        return seen | {label for label, score in self.labels.items() if score >= _MIN_LABEL}

    def boxes(self, category: str) -> list[Box]:
        """Return the boxes of the objects of a category."""
        return [one.box for one in self.objects if one.category == category and one.confidence >= _MIN_OBJECT]


def is_checked(action: str, frames: Sequence[FrameEvidence]) -> bool:
    """Tell whether everything an action needs is seen in the frames, and it needs something."""
    return _are_met(needs_of(action), _things_in(frames))


def trust_in(action: str, frames: Sequence[FrameEvidence], *, is_steady: bool = False) -> float:
    """Return the trust in an action of the model, given what else is seen: a factor of its score.

    Args:
        is_steady: whether the action leads in most of the clips around.
    """
    if not frames:
        return _UNCHECKABLE
    trust = _trust(needs_of(action), _things_in(frames), is_steady=is_steady)
    heights = [box.h for frame in frames for box in frame.boxes("person")]
    if not heights:
        return trust * _NO_PERSON
    return trust * (_DISTANT if max(heights) < _DISTANT_HEIGHT else 1.0)


def _things_in(frames: Sequence[FrameEvidence]) -> set[str]:
    return set().union(*(frame.things for frame in frames))


def _are_met(needs: Sequence[frozenset[str]], things: set[str]) -> bool:
    return bool(needs) and all(need & things for need in needs)


def _trust(needs: Sequence[frozenset[str]], things: set[str], *, is_steady: bool) -> float:
    if _are_met(needs, things):
        return _CHECKED
    # That the labeller does not name a cliff says less than that the detector finds no ball.
    unmet = [need for need in needs if not need & things]
    if is_steady and not any(need & _detectable() for need in unmet):
        return _STEADY
    return _CONTRADICTED if needs else _UNCHECKABLE


@lru_cache(maxsize=1)
def _detectable() -> frozenset[str]:
    return frozenset(one.name for one in categories().values())


@lru_cache(maxsize=512)
def needs_of(action: str) -> tuple[frozenset[str], ...]:
    """Return sets of objects; of each set one must be seen for `action` to be trusted."""
    words = f" {action} "
    return tuple(
        frozenset(things.split(","))
        for keys, things in read_table("activity_needs.tsv")
        if any(f" {key} " in words for key in keys.split(","))
    )
