"""Whether a landmark is among what a frame shows, in the words of either language."""

from __future__ import annotations

from vidence.language.question.understand import targets_of
from vidence.language.tokens import terms

__all__ = ["is_seen"]

_MATERIAL = frozenset({"big", "small", "large", "first", "second", "third", "next", "last"})


def is_seen(landmark: str, caption: str) -> bool:
    """Say whether a caption or a list of labels names the landmark; its noun must be there."""
    shown = set(terms(caption))
    if not shown:
        return False
    wanted = [term for term in dict.fromkeys(terms(landmark)) if term not in _MATERIAL]
    if wanted and all(term in shown for term in wanted):
        return True
    return bool(_names(landmark) & _names(caption))


def _names(text: str) -> set[str]:
    """Return the detector's categories a text names: what the two languages share."""
    return {target.category for target in targets_of(text) if target.category is not None}
